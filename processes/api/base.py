"""What every view of the API has in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from rest_framework.exceptions import NotAuthenticated, NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit import reads
from cases.models import Case
from processes.api import safe
from processes.api.parsing import unkept
from processes.callers import Caller
from timers import clock


class Api(APIView):
    """A view of the API. `acts` says, by method, which scope of a token it needs."""

    acts: ClassVar[dict[str, str]] = {"GET": "read"}
    fields_at: ClassVar[dict[str, str]] = {}  # where in the body a service's fields lie
    metadata_class = None
    told: dict[str, str]
    subject: int | None = None  # the case that a call is about

    def act(self, method: str | None) -> str:
        return self.acts.get("GET" if method == "HEAD" else str(method), "read")

    @property
    def caller(self) -> Caller:
        return self.request.user

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.told = {}
        clock.refresh_if_stale()
        for value in kwargs.values():
            if isinstance(value, str) and unkept(value):
                raise NotFound(_("There is nothing at this address."))
        super().initial(request, *args, **kwargs)

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        found = super().finalize_response(request, response, *args, **kwargs)
        if self.subject is not None:
            reads.about(self.subject)
        for name, value in getattr(self, "told", {}).items():
            found[name] = value
        found.setdefault("Cache-Control", "no-store")
        patch_vary_headers(found, ("Authorization", "Cookie", "Accept-Language"))
        return found

    def ask_again(self) -> None:
        """Who calls, asked once more by a call that has waited: a token that was revoked
        meanwhile counts, and rights that were taken away. Raises AuthenticationFailed,
        NotAllowed."""
        authenticator: Any = self.request.successful_authenticator
        found = authenticator.again(self.request)
        if found is None:
            raise NotAuthenticated
        self.request.user, self.request.auth = found
        self.check_permissions(self.request)

    def case(self, reference: str, *, act: str = "read") -> Case:
        """The case, for those who may do this; refusals tell the state it is in."""
        found = self.caller.case(reference, act)
        self.subject = found.pk
        return found

    def changed(self, reference: str, *, must: bool = False) -> Case:
        """The case, locked for an act of the method's scope, unless it moved on."""
        found = self.case(reference, act=self.act(self.request.method))
        return safe.locked(self.request, found, must=must)

    def once(self, act: Callable[[], Response]) -> Any:
        return safe.once(self.request, act)


class NothingHere(Api):
    """Any address under the API that is none."""

    permission_classes = ()
    authentication_classes = ()
    schema = None

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        self.http_method_names = [str(request.method).lower()]
        setattr(self, self.http_method_names[0], self.nothing)
        return super().dispatch(request, *args, **kwargs)

    def nothing(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        raise NotFound(_("There is nothing at this address of the API."))
