// Generated from the OpenAPI document by `npm run client`: changes are lost.

export const VERSION = '0.1.0';
