import { DataSource, type DataSourceOptions } from 'typeorm';

/** A data source, not yet connected, on which entities may use `blob` columns whatever the database. */
export function createDataSource(options: DataSourceOptions): DataSource {
  const dataSource = new DataSource(options);
  if (options.type === 'postgres') {
    const { driver } = dataSource;
    const normalizeType = driver.normalizeType.bind(driver);
    driver.normalizeType = (column) => (column.type === 'blob' ? 'bytea' : normalizeType(column));
  }
  return dataSource;
}
