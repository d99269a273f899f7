"""A consumer of events that is killed amid them: it stores its position as the README shows.

    resumed_consumer.py <count> [position]

It handles so many changes, or all there are, is gone without a word to the service, and leaves as JSON what it has
handled and stored.
"""

import json
import os
import sys

from user_group_service import ABSENT, UserGroupClient

client = UserGroupClient(os.environ["BASE"], os.environ["TOKEN"])
count = int(sys.argv[1])
stored = sys.argv[2] if len(sys.argv) > 2 else ""
handled = []
for message in client.stream_events(last_event_id=stored or ABSENT):
    stored = message.last_event_id
    if message.event == "change":
        handled.append(message.json()["user_group"]["provided_id"])
    if len(handled) == count or message.event == "current":
        break
print(json.dumps({"handled": handled, "stored": stored}), flush=True)
os._exit(0)
