# Generated from the OpenAPI document by `npm run client`: changes are lost.

__version__ = "0.1.0"
