"""Who a key is."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.api.authentication import actor_of
from memoryapp.api.outputs import MeOutput
from memoryapp.api.views import ApiView


class MeView(ApiView):
    @extend_schema(responses=MeOutput)
    def get(self, request: Request) -> Response:
        return Response(MeOutput(actor_of(request)).data)
