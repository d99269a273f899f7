import { defineFeature } from '../../platform/common/extension/feature.ts';
import { DataSourceMapping } from './data-source-mapping.entity.ts';
import { RegisteredDataSource, RegisteredSchema } from './registered-things.entity.ts';

export const mapping = defineFeature({
  name: 'mapping',
  about: 'What the mapping of a group refers to.',
  entities: [DataSourceMapping, RegisteredDataSource, RegisteredSchema],
});
