"""/api/v1/dictionary: the tenant's own words."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.api.base import ApiView, actor_of, read
from memoryapp.api.inputs import StrictSerializer
from memoryapp.domain.moments import moment
from memoryapp.retrieval.own_words import LONGEST_WORD, MOST_WORDS
from memoryapp.services import dictionary
from memoryapp.services.dictionary import DictionaryView as View


class DictionaryInput(StrictSerializer):
    words = serializers.ListField(child=serializers.CharField(max_length=LONGEST_WORD), max_length=MOST_WORDS)


class Dictionary(serializers.Serializer[Any]):
    """`waiting` memories still have the terms of an earlier revision."""

    words = serializers.ListField(child=serializers.CharField())
    revision = serializers.IntegerField()
    waiting = serializers.IntegerField()
    changed_at = serializers.DateTimeField(allow_null=True)


def _body(view: View) -> dict[str, Any]:
    changed = moment(view.changed_at) if view.changed_at else None
    return {"words": list(view.words), "revision": view.revision, "waiting": view.waiting, "changed_at": changed}


class DictionaryView(ApiView):
    @extend_schema(responses={200: Dictionary})
    def get(self, request: Request) -> Response:
        """The tenant's own words, which word search keeps whole."""
        return Response(_body(dictionary.view(actor_of(request, "admin"))))

    @extend_schema(request=DictionaryInput, responses={200: Dictionary})
    def put(self, request: Request) -> Response:
        """Make these the tenant's words; what is stored is cut anew in the background."""
        actor, body = actor_of(request, "admin"), read(DictionaryInput, request.data)
        return Response(_body(dictionary.replace(actor, body["words"])))
