from __future__ import annotations

import hashlib
import hmac
from typing import Any

from django.db import transaction
from django.urls import path
from rest_framework import authentication, exceptions, permissions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from benchmarks.baseline.models import Row
from workforce.models import Key


class KeyAuthentication(authentication.BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[Any, Any]:
        text = request.META.get("HTTP_AUTHORIZATION", "").removeprefix("Bearer ")
        _, prefix, secret = text.split("_", 2)
        key = Key.objects.select_related("actor__user").filter(prefix=prefix, revoked_at=None).first()
        if key is None or not hmac.compare_digest(key.digest, hashlib.sha256(secret.encode()).hexdigest()):
            raise exceptions.AuthenticationFailed
        return key.actor.user, key


class RowSerializer(serializers.ModelSerializer):
    class Meta:
        model = Row
        fields = ["id", "mailbox", "body", "at"]


class InsertView(APIView):
    authentication_classes = [KeyAuthentication]
    permission_classes = [permissions.IsAuthenticated]

    def post(self, request: Request) -> Response:
        serializer = RowSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        serializer.save()
        return Response(serializer.data, status=201)


class Bare(APIView):
    authentication_classes = [KeyAuthentication]
    permission_classes = [permissions.IsAuthenticated]


class InsertFourView(Bare):
    """A message and three receipts, as small as they can be."""

    def post(self, request: Request) -> Response:
        serializer = RowSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        with transaction.atomic():
            Row.objects.bulk_create([Row(**serializer.validated_data) for _ in range(4)])
        return Response(serializer.data, status=201)


class ReadView(Bare):
    """Twenty rows by an index."""

    def get(self, request: Request) -> Response:
        rows = Row.objects.filter(mailbox=request.query_params["mailbox"]).order_by("id")[:20]
        return Response(RowSerializer(rows, many=True).data)


class DeliverView(Bare):
    """Twenty rows by an index, marked as read, with a line of history each."""

    def post(self, request: Request, mailbox: str) -> Response:
        with transaction.atomic():
            rows = list(Row.objects.select_for_update().filter(mailbox=mailbox).order_by("id")[:20])
            Row.objects.filter(pk__in=[row.pk for row in rows]).update(body="read")
            Row.objects.bulk_create([Row(mailbox="history", body=str(row.pk)) for row in rows])
        return Response(RowSerializer(rows, many=True).data)


class UpdateView(Bare):
    """One row, if it is still as it was."""

    def post(self, request: Request, key: int) -> Response:
        changed = Row.objects.filter(pk=key, body="open").update(body="closed")
        return Response({"changed": changed})


urlpatterns = [
    path("api/insert", InsertView.as_view()),
    path("api/insert-four", InsertFourView.as_view()),
    path("api/read", ReadView.as_view()),
    path("api/deliver/<str:mailbox>", DeliverView.as_view()),
    path("api/update/<int:key>", UpdateView.as_view()),
]
