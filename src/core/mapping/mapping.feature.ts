import { defineFeature } from '../../platform/common/extension/feature.ts';
import { DataSourceMapping } from './data-source-mapping.entity.ts';
import { RegisteredDataSource, RegisteredSchema } from './registered-things.entity.ts';

export const mapping = defineFeature({
  name: 'mapping',
  entities: [DataSourceMapping, RegisteredDataSource, RegisteredSchema],
});
