"""Bodies that come in chunks, for an application that needs to know their length before it reads them."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class ChunkedBodies:
    """Reads a body of unknown length up to `most` bytes and names its length; one byte more says that it is too large.

    Only where the server marks the end of the body (`wsgi.input_terminated`): elsewhere reading could wait for ever.
    """

    def __init__(self, application: WSGIApplication, most: int) -> None:
        self.application = application
        self.most = most

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        chunked = environ.get("HTTP_TRANSFER_ENCODING", "").lower() == "chunked"
        if chunked and not environ.get("CONTENT_LENGTH") and environ.get("wsgi.input_terminated"):
            body = environ["wsgi.input"].read(self.most + 1)
            del environ["HTTP_TRANSFER_ENCODING"]
            environ |= {"wsgi.input": BytesIO(body), "CONTENT_LENGTH": str(len(body))}
        return self.application(environ, start_response)
