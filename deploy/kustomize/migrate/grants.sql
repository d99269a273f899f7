GRANT USAGE ON SCHEMA public TO user_groups_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO user_groups_service;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO user_groups_service;
REVOKE UPDATE ON audit_event FROM user_groups_service;
REVOKE INSERT, UPDATE, DELETE ON migration FROM user_groups_service;
