import os

import jwt

workspace_url = f"{os.environ['GROUPS_URL']}/workspaces/{os.environ['WORKSPACE_ID']}"
keys = jwt.PyJWKClient(workspace_url + "/.well-known/jwks.json")


def verify_embed_token(token: str) -> dict:
    """Returns the claims of a token for this renderer; raises jwt.PyJWTError for any other text."""
    return jwt.decode(
        token,
        keys.get_signing_key_from_jwt(token).key,
        algorithms=["ES256"],
        issuer=os.environ["ISSUER"],
        audience=os.environ["AUDIENCE"],
        leeway=5,
        options={"require": ["exp", "iat", "jti"]},
    )
