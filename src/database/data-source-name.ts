/** Under this name TypeORM knows the database of user groups, beside those that an application has itself. */
export const USER_GROUP_DATA_SOURCE = 'user-group-service';
