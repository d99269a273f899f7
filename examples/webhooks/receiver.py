import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

def verify(headers, body):
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    if abs(time.time() - int(headers["webhook-timestamp"])) > 300:
        raise ValueError("too old")
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    if not any(hmac.compare_digest(expected, one) for one in headers.get("webhook-signature", "").split()):
        raise ValueError("not signed with this secret")
    return json.loads(body)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            length = int(self.headers["content-length"])
            if not 0 <= length <= 1_000_000:
                raise ValueError("too long")
            body = self.rfile.read(length)
            print(self.headers["webhook-id"], verify(self.headers, body)["type"])
            self.send_response(204)
        except (ValueError, KeyError, TypeError, OverflowError):
            self.send_response(400)
        self.end_headers()

class Server(ThreadingHTTPServer):
    request_queue_size = 128  # the service opens many connections at once

Server(("127.0.0.1", 8080), Receiver).serve_forever()
