import { defineFeature } from '../../platform/common/extension/feature.ts';
import { WorkspaceHistory } from './workspace-history.entity.ts';
import { Workspace } from './workspace.entity.ts';
import { WorkspaceModule } from './workspace.module.ts';
import { workspaceActions } from './workspace.catalogue.ts';
import * as problems from './workspace.errors.ts';

export const workspaces = defineFeature({
  name: 'workspaces',
  about: 'Tenants.',
  actions: workspaceActions,
  problems,
  services: [WorkspaceModule],
  entities: [Workspace, WorkspaceHistory],
  rights: {
    workspace: 'SELECT, INSERT, UPDATE',
    workspace_history: 'SELECT, INSERT, DELETE',
  },
});
