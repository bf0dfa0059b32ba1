"""Who is calling: a key, a browser session, or in open mode a name."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.clients import Api, problem
from tests.conftest import Mailbox, Player, make_player
from tests.factories import make_organization, make_user
from workforce import clock
from workforce.models import Key, Membership, Organization, Session, User
from workforce.services.actors import freeze_actor, retire_actor, unfreeze_actor
from workforce.services.keys import revoke_key, rotate_key

POST = "/api/flows/mailbox/support.help/actions/post"
LINE = {"input": {"body": "x"}}


class TestKeys:
    @pytest.mark.parametrize(
        "header",
        [
            "",
            "Bearer",
            "Bearer ",
            "Bearer x",
            "Basic YTpi",
            "wfk_",
            "Bearer wfk_000000000000_" + "a" * 43,
            "Bearer é",
        ],
    )
    def test_call__a_key_that_is_none(self, owner: Player, nothing_written: Any, header: str) -> None:
        with nothing_written():
            answer = Api(Authorization=header).post("/api/sessions", {"flowKind": "mailbox"})
        problem(answer, 401, "unauthenticated")
        assert answer["WWW-Authenticate"].startswith("Bearer")

    def test_call__a_true_prefix_with_a_wrong_secret(self, owner: Player) -> None:
        wrong = owner.key[:-1] + ("a" if owner.key[-1] != "a" else "b")
        problem(Api(wrong).get("/api/sessions"), 401, "unauthenticated")

    def test_call__the_scheme_in_any_case(self, owner: Player) -> None:
        assert Api(Authorization=f"bEARER {owner.key}").get("/api/sessions").status_code == 200

    def test_call__frozen_and_back(self, owner: Player, mailbox: Mailbox, nothing_written: Any) -> None:
        mailbox()
        named = {"organization": owner.organization, "passname": "ada-desk"}
        freeze_actor(**named)
        with nothing_written():
            problem(owner.api.post(POST, LINE), 403, "frozen", "ada-desk")
            problem(owner.api.get("/api/sessions"), 403, "frozen")
        unfreeze_actor(**named)
        assert owner.api.post(POST, LINE).status_code == 202

    def test_call__revoked_rotated_expired_retired(
        self, owner: Player, mailbox: Mailbox, nothing_written: Any
    ) -> None:
        mailbox()
        of = {"organization": owner.organization}
        revoke_key(prefix=owner.key, **of)
        with nothing_written():
            answer = owner.api.post(POST, LINE)
        problem(answer, 401, "key-revoked")
        assert "WWW-Authenticate" in answer
        _, fresh = rotate_key(passname="ada-desk", **of)
        assert Api(fresh).post(POST, LINE).status_code == 202
        live = Key.objects.filter(revoked_at=None)
        live.update(expires_at=clock.now() - timedelta(seconds=1))
        problem(Api(fresh).post(POST, LINE), 401, "key-expired")
        live.update(expires_at=clock.now() + timedelta(hours=1))
        assert Api(fresh).post(POST, LINE).status_code == 202
        retire_actor(passname="ada-desk", **of)
        problem(Api(fresh).post(POST, LINE), 401, "key-revoked")

    def test_call__a_deactivated_user(self, owner: Player) -> None:
        User.objects.filter(pk=owner.user.pk).update(is_active=False)
        problem(owner.api.get("/api/sessions"), 401, "unauthenticated")

    def test_call__the_passname_must_match_when_it_is_sent(self, owner: Player) -> None:
        for given, status in (("ada-desk", 200), (" Ada-Desk ", 200), ("ada-bot", 403), ("", 403)):
            answer = owner.api.get("/api/sessions", X_Passname=given)
            assert answer.status_code == status, given
        problem(owner.api.get("/api/sessions", X_Passname="ada-bot"), 403, "passname-mismatch", "ada-bot")

    def test_call__the_organization_is_the_keys(
        self, owner: Player, outsider: Player, mailbox: Mailbox
    ) -> None:
        mailbox()
        answer = owner.api.get("/api/sessions", X_Organization="umbrella", X_User="eve")
        assert [entry["id"] for entry in answer.json()["items"]] == ["support.help"]

    def test_call__one_user_in_two_organizations(self, owner: Player, mailbox: Mailbox) -> None:
        mailbox()
        elsewhere = make_player(owner.user, make_organization("second"), "ada-far")
        assert elsewhere.api.get("/api/sessions").json()["items"] == []
        problem(elsewhere.api.get("/api/sessions/support.help"), 404, "session-not-found")
        uid = owner.api.act("support.help", "post", {"body": "x"}).json()["request"]["id"]
        problem(elsewhere.api.get(f"/api/requests/{uid}"), 404, "not-found")
        assert owner.api.get(f"/api/requests/{uid}").status_code == 200

    def test_user_id__may_repeat_the_caller_and_is_no_input(self, owner: Player, mailbox: Mailbox) -> None:
        mailbox()
        assert owner.api.post(POST, {**LINE, "userId": "ada"}).status_code == 202
        assert owner.api.post(POST, {**LINE, "userId": None}).status_code == 202
        assert owner.api.post(f"{POST}?userId=ada", LINE).status_code == 202
        assert owner.api.get("/api/sessions/support.help?userId=ada").status_code == 200
        problem(
            owner.api.post(POST, {"input": {"body": "x", "userId": "ada"}}), 400, "invalid-input", "userId"
        )

    @pytest.mark.parametrize("named", ["bob", "ADA", "", " ada", "x" * 5000])
    def test_user_id__another_is_a_mismatch(
        self, owner: Player, stranger: Player, mailbox: Mailbox, nothing_written: Any, named: str
    ) -> None:
        mailbox()
        with nothing_written():
            answers = [
                owner.api.post(POST, {**LINE, "userId": named}),
                owner.api.post(f"{POST}?userId={named[:200]}", {**LINE, "userId": "ada"}),
                owner.api.get(f"/api/sessions?userId={named[:200]}"),
                owner.api.call("PATCH", "/api/sessions/support.help", {"title": "x", "userId": named}),
            ]
        for answer in answers:
            problem(answer, 403, "user-mismatch", "'ada'")

    @pytest.mark.parametrize("named", [5, ["ada"], {"a": 1}, True])
    def test_user_id__is_a_string(self, owner: Player, mailbox: Mailbox, named: Any) -> None:
        mailbox()
        body = problem(owner.api.post(POST, {**LINE, "userId": named}), 400, "invalid-input")
        assert body["errors"][0]["path"] == "userId"


class TestBrowserSessions:
    @pytest.fixture
    def browser(self, owner: Player) -> Client:
        client = Client(enforce_csrf_checks=True)
        client.force_login(owner.user)
        return client

    def send(
        self, browser: Client, token: str | None = None, path: str = POST, **headers: str
    ) -> HttpResponse:
        if token is not None:
            browser.cookies["csrftoken"] = token
            headers["X-CSRFToken"] = token
        return browser.post(path, LINE, content_type="application/json", headers=headers)

    def test_call__writes_need_the_token(
        self, browser: Client, mailbox: Mailbox, nothing_written: Any
    ) -> None:
        mailbox()
        with nothing_written():
            problem(self.send(browser), 403, "not-allowed", "CSRF")
        assert browser.get("/api/sessions/support.help").status_code == 200
        answer = self.send(browser, "t" * 32, Prefer="return=representation")
        assert answer.status_code == 200
        line = answer.json()["output"]
        assert (line["principal"], "passname" in line) == ("ada", False)

    def test_call__a_key_wins_and_needs_no_token(
        self, browser: Client, stranger: Player, mailbox: Mailbox
    ) -> None:
        mailbox("bobs.box", player=stranger)
        path = "/api/flows/mailbox/bobs.box/actions/post"
        answer = self.send(browser, path=path, Authorization=f"Bearer {stranger.key}")
        assert answer.status_code == 202
        problem(self.send(browser, Authorization="Bearer x"), 401, "unauthenticated")

    def test_call__the_default_organization_or_one_of_ones_own(
        self, browser: Client, owner: Player, outsider: Player, mailbox: Mailbox
    ) -> None:
        mailbox()
        second = make_organization("second")
        Membership.objects.create(user=owner.user, organization=second)
        path = "/api/sessions/support.help"
        assert browser.get(path).status_code == 200
        assert browser.get(path, headers={"X-Organization": "acme"}).status_code == 200
        problem(browser.get(path, headers={"X-Organization": "second"}), 404, "session-not-found")
        for slug in ("umbrella", "no-such"):
            problem(browser.get(path, headers={"X-Organization": slug}), 403, "not-allowed", slug)
        Membership.objects.filter(user=owner.user).update(is_default=False)
        Membership.objects.filter(organization=second).update(is_default=True)
        assert browser.get(path).status_code == 404

    def test_call__without_an_organization(
        self, browser: Client, owner: Player, nothing_written: Any
    ) -> None:
        Membership.objects.all().delete()
        with nothing_written():
            problem(browser.get("/api/sessions"), 403, "not-allowed", "no organization")

    def test_call__a_deactivated_user_or_an_ended_session(self, browser: Client, owner: Player) -> None:
        assert browser.get("/api/sessions").status_code == 200
        User.objects.filter(pk=owner.user.pk).update(is_active=False)
        problem(browser.get("/api/sessions"), 401, "unauthenticated")
        User.objects.filter(pk=owner.user.pk).update(is_active=True)
        assert browser.get("/api/sessions").status_code == 200
        browser.session.flush()
        problem(browser.get("/api/sessions"), 401, "unauthenticated")

    def test_call__naming_another_user(self, browser: Client, stranger: Player) -> None:
        problem(browser.get("/api/sessions?userId=bob"), 403, "user-mismatch")


class TestOpenMode:
    @pytest.fixture(autouse=True)
    def open_mode(self, settings: Any, db: None) -> None:
        settings.WORKFORCE_AUTH = "open"

    def test_call__the_default_user_is_made_on_first_sight(self) -> None:
        assert Api().get("/api/sessions").json() == {"items": []}
        user, organization = User.objects.get(), Organization.objects.get()
        assert (user.username, organization.slug) == ("local", "default")
        assert not user.has_usable_password()
        assert Membership.objects.get().is_default
        assert Api().get("/api/sessions").status_code == 200
        assert User.objects.count() == Organization.objects.count() == 1

    def test_call__who_is_named_by_body_header_or_query(self) -> None:
        new = {"flowKind": "mailbox"}
        made = [
            Api().post("/api/sessions?userId=body", {**new, "userId": "body"}, X_User="header"),
            Api().post("/api/sessions", {**new, "userId": "body"}, X_User="header"),
            Api().post("/api/sessions?userId=query", new, X_User="header"),
            Api().post("/api/sessions", new, X_User=" header "),
            Api().post("/api/sessions", new),
        ]
        assert [answer.json()["userId"] for answer in made] == ["body", "body", "query", "header", "local"]
        assert set(User.objects.values_list("username", flat=True)) == {"body", "query", "header", "local"}
        assert Organization.objects.count() == 1
        both = Api().post("/api/sessions?userId=query", {**new, "userId": "body"})
        assert problem(both, 400, "invalid-input")["errors"][0]["path"] == "userId"

    @pytest.mark.parametrize("named", ["", " ", "x" * 151, "a\x00", "a\n"])
    def test_call__a_name_out_of_form(self, nothing_written: Any, named: str) -> None:
        with nothing_written():
            answer = Api().post("/api/sessions", {"flowKind": "mailbox", "userId": named})
            body = problem(answer, 400, "invalid-input")
            assert body["errors"][0]["path"] == "userId"

    def test_call__a_name_as_long_as_may_be(self) -> None:
        assert Api().get(f"/api/sessions?userId={'x' * 150}").status_code == 200

    def test_call__users_are_apart(self) -> None:
        Api().post("/api/sessions", {"flowKind": "mailbox", "sessionId": "my.id", "userId": "one"})
        problem(Api().get("/api/sessions/my.id?userId=two"), 404, "session-not-found")
        assert Api().get("/api/sessions/my.id?userId=one").status_code == 200

    def test_call__the_bodys_organization_is_never_used(self) -> None:
        make_organization("other")
        answer = Api().post("/api/sessions", {"flowKind": "mailbox", "orgId": "other"})
        assert answer.status_code == 201
        assert Session.objects.get().organization.slug == "default"
        assert Api().get("/api/sessions", X_Organization="other").status_code == 200
        assert not Membership.objects.filter(organization__slug="other").exists()

    def test_call__a_key_that_is_sent_is_checked_and_wins(
        self, stranger: Player, nothing_written: Any
    ) -> None:
        with nothing_written():
            problem(Api("wfk_no").get("/api/sessions"), 401, "unauthenticated")
            problem(stranger.api.get("/api/sessions?userId=ada"), 403, "user-mismatch")
        made = stranger.api.post("/api/sessions", {"flowKind": "mailbox"}, X_User="ada")
        assert made.json()["userId"] == "bob"
        assert Session.objects.get().organization == stranger.organization

    def test_call__a_deactivated_user(self) -> None:
        make_user("gone", is_active=False)
        Api().get("/api/sessions")
        problem(Api().get("/api/sessions?userId=gone"), 403, "not-allowed", "gone")
