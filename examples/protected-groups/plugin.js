import { definePlugin, UserGroupChangeGuard } from 'user-group-service';

const WHILE_PROTECTED = ['delete', 'suspend'];

/** Refuses to delete or suspend a group while its properties have `"protected": true`. */
class ProtectedGroups extends UserGroupChangeGuard {
  async beforeChange(changes) {
    return changes
      .filter(({ kind, before }) => {
        return WHILE_PROTECTED.includes(kind) && before.properties.protected === true;
      })
      .map((change) => ({
        change,
        detail: 'The group is protected; take its property away first.',
      }));
  }
}

/** `PLUGINS=./examples/protected-groups/plugin.js` adds it to the service. */
export default definePlugin({
  name: 'protected-groups',
  compatibility: '^0.1.0',
  ports: [{ provide: UserGroupChangeGuard, useClass: ProtectedGroups }],
});
