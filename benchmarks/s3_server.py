"""Moto's S3 server for benchmarks: filled by one process, read from several.

A process of Python does one thing at a time, so that a single one is what workers would wait for,
as they do not for S3. So the server is filled as one process, with threads, and then it is forked:
each of its processes has all that was written, and they share the socket.

    python benchmarks/s3_server.py PROCESSES

It prints its port, and when it has read a line the processes that serve from then on. It ends when
its input does.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server


class _Quiet(WSGIRequestHandler):
    """Tells of no request."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Nothing: it would be part of what is measured."""


def main() -> None:
    """Serve, first to be filled and then to be read."""
    application = DomainDispatcherApplication(create_backend_app)
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:

        def server() -> BaseWSGIServer:
            return make_server(
                "127.0.0.1",
                0,
                application,
                threaded=True,
                request_handler=_Quiet,
                fd=listening.fileno(),
            )

        first = server()
        filling = threading.Thread(target=first.serve_forever)
        filling.start()
        print(listening.getsockname()[1], flush=True)
        sys.stdin.readline()
        first.shutdown()
        filling.join()
        readers = []
        for _ in range(int(sys.argv[1])):
            pid = os.fork()
            if not pid:
                server().serve_forever()
                os._exit(0)
            readers.append(pid)
    print(*readers, flush=True)
    sys.stdin.read()
    for pid in readers:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
