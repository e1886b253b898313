"""Traditional characters as simplified ones, one to one, for the words that guards and grammars look for.

Offsets stay, since each character becomes one character. It is no converter: only characters of our own vocabulary
stand here; texts and hashes are folded by the converter that is handed to the domain.
"""

from __future__ import annotations

import re
import unicodedata

_TRADITIONAL = (
    "丟並乾佈併來係俬倉個們備傢傳傾僅僱儘優儲兒內兩別刪則剛創劃劇動務勝勞匯區協卻卽厤厭厲員問啓啟喫單嗎嘍噠噹嚇嚮嚴囉囌園圖團埰執報場塊墻壓夢夥媽學寀實寧審寫寶將專尋對導層屬嵗師帳帶幫幷"
    "幹幾庫廚廢廣廳強彆彔彙後從復愛態慣憑憶應懞懷戲戶拋拚捨掃掛採換擁擇擊據擺攔攝敎敗數斷於旣昇時晉暈暫曆曏書會東査條棄棟棧業榘榦構樂樓標樣機檔檢檯欄權歡歲歷歸氣決沒洩淺測準溝滙滬漢潔潤"
    "潰濛濾灣為無煩熱爲爺牀牆狀獄獨獲現環瓊產産畢畫異畵當癥發盡監盤眞睏瞞矇確碼祕禮種稱穀積穫筆箇簡粵糰糾約紅純級細紹終組結絕給統絶經綫維網緒線編緩緯練緻縮總繞繫繼續纍纔羣義習翫聯聲職聽"
    "脩脫腫腳臨臺與興舉舊舖舘華萬葯葷蒐蓋薦藥蘇處虛號衕衚裏裝裡製複襬覈見規視親覺觸訂計訊討託記訪設許訴診註証評詞詢試詩話該詳誌認誒誘語誤說説誰課調請論諮謂講謝證識譯議護讀變讓讚豬貓負貨"
    "責貴買貼資賓賣賬賴購贊贛車軍較載輪輯輸轉辦辭農迴這週進遊運過遞遠適遲遶遷選遺遼還邊郵鄉鄰醣醫釋釘鈅鈕鈡銀銷鋪錄錢錯録錶鍾鎖鎭鎮鏈鐘鑰長門閉開間閤閨閩閱閲闆闇關陝陞陸陽隊階際隨險隱隻"
    "雙雞離難雲電韆韓頁項順須領頭題額願類顯風颱飛飯飲養餓館馬駕駛騙騰驗驟體髮鬍鬚鬧鬱魯鷄麪麫麵麼麽點齡齣龍"
)
_SIMPLIFIED = (
    "丢并干布并来系私仓个们备家传倾仅雇尽优储儿内两别删则刚创划剧动务胜劳汇区协却即历厌厉员问启启吃单吗喽哒当吓向严啰苏园图团采执报场块墙压梦伙妈学采实宁审写宝将专寻对导层属岁师帐带帮并"
    "干几库厨废广厅强别录汇后从复爱态惯凭忆应蒙怀戏户抛拼舍扫挂采换拥择击据摆拦摄教败数断于既升时晋晕暂历向书会东查条弃栋栈业矩干构乐楼标样机档检台栏权欢岁历归气决没泄浅测准沟汇沪汉洁润"
    "溃蒙滤湾为无烦热为爷床墙状狱独获现环琼产产毕画异画当症发尽监盘真困瞒蒙确码秘礼种称谷积获笔个简粤团纠约红纯级细绍终组结绝给统绝经线维网绪线编缓纬练致缩总绕系继续累才群义习玩联声职听"
    "修脱肿脚临台与兴举旧铺馆华万药荤搜盖荐药苏处虚号同胡里装里制复摆核见规视亲觉触订计讯讨托记访设许诉诊注证评词询试诗话该详志认诶诱语误说说谁课调请论咨谓讲谢证识译议护读变让赞猪猫负货"
    "责贵买贴资宾卖账赖购赞赣车军较载轮辑输转办辞农回这周进游运过递远适迟绕迁选遗辽还边邮乡邻糖医释钉钥钮钟银销铺录钱错录表钟锁镇镇链钟钥长门闭开间合闺闽阅阅板暗关陕升陆阳队阶际随险隐只"
    "双鸡离难云电千韩页项顺须领头题额愿类显风台飞饭饮养饿馆马驾驶骗腾验骤体发胡须闹郁鲁鸡面面面么么点龄出龙"
)
_TABLE = str.maketrans(_TRADITIONAL, _SIMPLIFIED)
_MAYBE = re.compile(f"[{_TRADITIONAL}]")


def simplified(text: str) -> str:
    """The text of the same length with the traditional characters of our vocabulary turned into simplified ones."""
    return text if text.isascii() or _MAYBE.search(text) is None else text.translate(_TABLE)


def plain_text(text: str) -> str:
    """The text in one width, one script and one case, with straight apostrophes; for looking at words."""
    return simplified(unicodedata.normalize("NFKC", text)).casefold().replace("’", "'").strip()
