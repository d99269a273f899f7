/** The call by which a backend makes its first user group, to paste into a terminal. */
export const CREATE_USER_GROUP = `curl -X PUT ${new URL('../api/user', location.href.split('#')[0]).href} \\
  -H "Authorization: Token $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"user_group_id": "acme-emea", "name": "Acme EMEA",
       "mapping": {"sales": "warehouse-emea"}, "properties": {"region": "EMEA"}}'`;
