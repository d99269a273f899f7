-- The first start of PostgreSQL under compose.yaml: who owns the tables, and who only serves. Neither
-- has an attribute; nobody else has the superuser's password.
\set owner_password `cat /run/secrets/user-groups/owner-password`
\set service_password `cat /run/secrets/user-groups/service-password`
CREATE ROLE user_groups_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE user_groups_service LOGIN PASSWORD :'service_password';
CREATE DATABASE user_groups OWNER user_groups_owner ENCODING 'UTF8' TEMPLATE template0;
REVOKE CONNECT, TEMPORARY ON DATABASE user_groups FROM PUBLIC;
GRANT CONNECT ON DATABASE user_groups TO user_groups_service;
