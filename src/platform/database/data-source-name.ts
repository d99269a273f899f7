/** TypeORM's name for the database of user groups, to distinguish it from those of an application. */
export const USER_GROUP_DATA_SOURCE = 'user-group-service';
