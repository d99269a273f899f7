import { defineFeature } from '../../platform/common/extension/feature.ts';
import { DataSourceMapping } from './data-source-mapping.entity.ts';
import { RegisteredDataSource, RegisteredSchema } from './schemas-and-data-sources.entity.ts';

export const mapping = defineFeature({
  name: 'mapping',
  about: 'What the mapping of a group refers to.',
  entities: [DataSourceMapping, RegisteredDataSource, RegisteredSchema],
  rights: {
    data_source_mapping: 'SELECT, INSERT, UPDATE, DELETE',
    registered_data_source: 'SELECT, INSERT, UPDATE, DELETE',
    registered_schema: 'SELECT, INSERT, UPDATE, DELETE',
  },
});
