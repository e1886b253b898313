"""Areas of life and the words that speak of them, in English and Chinese: what a taste and a wish for advice have in
common when they share no word. A coarse word list of our own, neither a thesaurus nor a classifier.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_DOUBLED = re.compile(r"[a-z]*[^aeiou][aeiou][bdgmnpt]")
"""Short words that double their last letter: plan, planning."""


@dataclass(frozen=True, slots=True)
class Area:
    """`latin` are whole words in lower case with their inflections, `chinese` parts of a text."""

    name: str
    latin: frozenset[str]
    chinese: tuple[str, ...]


def _inflected(word: str) -> frozenset[str]:
    """The word with its regular endings; some that nobody writes are among them and do no harm."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return frozenset({word, word[:-1] + "ies", word[:-1] + "ied", word + "ing"})
    if word.endswith("e"):
        return frozenset({word, word + "s", word + "d", word[:-1] + "ing"})
    doubled = {word + word[-1] + "ed", word + word[-1] + "ing"} if _DOUBLED.fullmatch(word) else set()
    return frozenset({word, word + "s", word + "es", word + "ed", word + "ing"} | doubled)


def _area(name: str, latin: str, chinese: str) -> Area:
    return Area(name, frozenset(form for word in latin.split() for form in _inflected(word)), tuple(chinese.split()))


AREAS = (
    _area(
        "food",
        """
        eat ate food meal breakfast lunch dinner supper brunch snack dish cook recipe cuisine restaurant cafe café
        diner bakery bake menu taste spicy sweet vegetarian vegan meat beef pork lamb chicken fish seafood shrimp
        cheese bread gluten dairy lactose nuts peanut kosher halal diet dietary sugar salt vegetable fruit dessert
        cake chocolate ice-cream pizza pasta noodle rice soup salad barbecue grill kitchen ingredient curry sushi
        steak
        """,
        """
        吃 餐 饭 菜 食 早点 点心 蛋糕 火锅 烧烤 面条 馒头 饺子 粥 汤 肉 鱼 海鲜 虾 鸡 牛 羊 猪 素 辣 甜 咸 水果 忌口 口味 厨 外卖 馆子 请客 麸质 花生
        """,
    ),
    _area(
        "drink",
        """
        drink drank coffee tea beer wine alcohol alcoholic cocktail whisky juice milk water caffeine soda bar pub
        """,
        """
        喝 咖啡 茶 白酒 红酒 啤酒 酒精 酒量 酒吧 饮料 果汁 牛奶 豆浆 可乐
        """,
    ),
    _area(
        "travel",
        """
        travel travelling trip holiday vacation tour tourist touristy sightseeing itinerary visit abroad destination
        city country beach mountain island cruise camp backpacking getaway landmark museum japan paris rome london
        europe
        """,
        """
        旅行 玩 行程 度假 景点 游 出国 海边 山 岛 露营 自驾 国庆 五一 春节 暑假 蜜月 攻略
        """,
    ),
    _area(
        "lodging",
        """
        hotel hostel airbnb room stay accommodation resort lodging bed
        """,
        """
        酒店 宾馆 民宿 旅馆 住 房间 客栈
        """,
    ),
    _area(
        "transport",
        """
        flight fly flew plane airline airport train bus subway metro tram car drive drove taxi uber ferry bike
        bicycle cycle commute transport transportation scooter seat luggage motion
        """,
        """
        飞机 机票 航班 火车 高铁 地铁 公交 坐车 开车 驾 自行车 骑车 打车 出租 船 轮渡 通勤 交通 座 行李 晕车 上班路
        """,
    ),
    _area(
        "motoring",
        """
        car vehicle suv sedan electric hybrid petrol gasoline diesel motorcycle truck ev engine
        """,
        """
        车 电动 混动 燃油 纯电
        """,
    ),
    _area(
        "screen",
        """
        movie film cinema watch show series tv television documentary drama comedy horror thriller action romance
        anime netflix theatre theater actor scary
        """,
        """
        电影 影片 片子 剧 看片 影院 电视 综艺 动漫 纪录片 恐怖片 科幻
        """,
    ),
    _area(
        "music",
        """
        music song sing playlist album band concert gig jazz rock pop classical country rap hip-hop metal guitar
        piano violin drums cello banjo instrument orchestra choir listen
        """,
        """
        音乐 歌 听 乐队 摇滚 古典 爵士 民谣 吉他 鼓 乐器 琴 唱
        """,
    ),
    _area(
        "books",
        """
        book read novel fiction non-fiction author poetry poem library literature story audiobook e-book ebook
        magazine paper genre
        """,
        """
        书 读 小说 诗 文学 作者 杂志 推理
        """,
    ),
    _area(
        "sport",
        """
        sport exercise workout fitness fit gym run ran jog swim yoga pilates hike climb football soccer basketball
        tennis badminton golf cycling ski marathon train active cardio weights lifting jump match team knee athletic
        """,
        """
        运动 健身 锻炼 跑 瑜伽 爬山 登山 乒乓 骑行 滑雪 马拉松 减肥 球 膝 跳 泳
        """,
    ),
    _area(
        "pets",
        """
        pet dog puppy cat kitten hamster rabbit bird fish breed animal parrot hens vet
        """,
        """
        宠物 狗 猫 兔 仓鼠 鸟 鱼 养 动物 犬
        """,
    ),
    _area(
        "clothes",
        """
        clothes clothing wear wore dress shirt shoe heels sneakers jacket coat suit jeans fashion outfit fabric
        cotton wool leather polyester fibres style size brand
        """,
        """
        衣服 穿 鞋 裙 裤 外套 西装 衬衫 时尚 款式 面料 棉 搭配 高跟 平底 尺码 毛衣
        """,
    ),
    _area(
        "beauty",
        """
        skin skincare moisturiser moisturizer cream makeup cosmetic hair shampoo perfume fragrance scent sunscreen
        lotion beauty nail lipstick
        """,
        """
        皮肤 护肤 面霜 化妆 头发 洗发 香水 防晒 彩妆 口红
        """,
    ),
    _area(
        "health",
        """
        health healthy doctor hospital sick illness disease medicine medication pill allergic allergy pain injury
        injured surgery diabetes blood pressure sleep insomnia vitamin supplement nutrients iron stress therapy
        dentist diagnosis checkup wellness meditation rehab
        """,
        """
        健康 医生 医院 病 药 过敏 疼 痛 伤 手术 体检 血压 血糖 血脂 尿酸 睡眠 失眠 维生素 牙 疫苗 治疗
        """,
    ),
    _area(
        "home",
        """
        home house apartment flat living room bedroom kitchen furniture sofa decor decorate decoration interior
        paint wall shelf bookcase lamp garden appliance oven fridge storage clean assemble
        """,
        """
        家里 房子 客厅 卧室 装修 家具 家电 布置 墙 沙发 收纳 打扫 阳台 冰箱 书房 装饰
        """,
    ),
    _area(
        "housing",
        """
        rent mortgage landlord flatmate live move neighbourhood neighborhood apartment flat address district
        """,
        """
        租 房东 买房 房贷 首付 小区 搬 住
        """,
    ),
    _area(
        "work",
        """
        work job career office company boss manager colleague coworker meeting project team salary bonus hire
        interview remote overtime deadline business industry networking profession professional presentation shift
        """,
        """
        工作 上班 公司 老板 领导 同事 会议 开会 项目 工资 薪 奖金 加班 面试 办公 职 岗位 汇报 下班 部门 年会
        """,
    ),
    _area(
        "study",
        """
        study learn class course lecture school college university degree teacher tutor exam textbook lesson student
        education language phd training skill
        """,
        """
        学 课 考 老师 专业 教程 培训 作业 笔记 证书 论文 语言
        """,
    ),
    _area(
        "tech",
        """
        phone smartphone iphone android pixel laptop computer tablet app software windows linux mac headphones
        camera smartwatch device gadget touchscreen keyboard screen photo wifi broadband
        """,
        """
        手机 电脑 笔记本 平板 软件 应用 系统 耳机 相机 苹果 华为 小米 安卓 屏幕 网络 宽带 微信
        """,
    ),
    _area(
        "money",
        """
        money budget invest investment stock savings save fund bank loan price cheap affordable expensive cost pay
        cash card subscription finance tax
        """,
        """
        钱 预算 投资 理财 股 基金 存 银行 贷款 便宜 贵 花费 付款 现金 刷卡 信用卡 还款 收入
        """,
    ),
    _area(
        "shopping",
        """
        buy bought shop store order purchase brand gift present amazon online deal second-hand
        """,
        """
        买 购 店 商场 品牌 礼物 送 淘宝 京东 下单
        """,
    ),
    _area(
        "talking",
        """
        call phone text email message contact reach talk reply answer explain explanation speech public small-talk
        conversation language tone short brief detail bullet points
        """,
        """
        电话 短信 邮件 联系 聊天 回复 回答 沟通 说话 发言 消息 讲解 解释 简短 详细
        """,
    ),
    _area(
        "games",
        """
        game play player video-game console playstation nintendo board chess puzzle multiplayer rpg
        """,
        """
        游戏 玩 手游 主机 棋 桌游 拼图
        """,
    ),
    _area(
        "family",
        """
        family mother mom mum father dad parent son daughter kids children child baby brother sister sibling wife
        husband spouse partner grandma grandmother grandpa grandfather aunt uncle cousin married marriage wedding
        fiancé fiancee engaged boyfriend girlfriend
        """,
        """
        家人 爸 妈 父 母 儿子 女儿 孩子 宝宝 娃 哥 姐 弟 妹 老婆 媳妇 妻子 老公 丈夫 爷爷 奶奶 外公 外婆 亲戚 结婚 婚礼 夫妻 男友 女友 对象 领证
        """,
    ),
    _area(
        "weather",
        """
        weather climate hot cold warm humid humidity rain rainy snow sunny winter summer spring autumn temperature
        season
        """,
        """
        天气 冷 热 潮湿 下雨 雪 冬天 夏天 春天 秋天 温度 气候 季
        """,
    ),
    _area(
        "company",
        """
        crowd quiet noise noisy loud silence peaceful busy social party lively calm
        """,
        """
        人多 安静 吵 嘈杂 热闹 聚会 清静 社交
        """,
    ),
    _area(
        "art",
        """
        art paint paintings draw drawings pottery craft museum gallery photography sculpture dance creative design
        """,
        """
        画 美术 艺术 陶 手工 摄影 展览 舞 设计
        """,
    ),
    _area(
        "nature",
        """
        nature outdoor garden plant flower tree park hiking wildlife environmental environment eco sustainable
        plastic
        """,
        """
        自然 户外 花 植物 公园 树 环保 风光 多肉
        """,
    ),
)
