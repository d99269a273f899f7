import { DataSource, type DataSourceOptions } from 'typeorm';
import { dialectOf } from './dialect.ts';

/**
 * Creates a data source, not yet connected, whose entities may use `blob` columns and `bigint` counters on either
 * database.
 */
export function createDataSource(options: DataSourceOptions): DataSource {
  const dataSource = new DataSource(options);
  const { driver } = dataSource;
  const { binaryType, countingType } = dialectOf(options);
  const normalizeType = driver.normalizeType.bind(driver);
  driver.normalizeType = (column) => {
    if (column.type === 'blob') return binaryType;
    if (column.type === 'bigint' && 'isGenerated' in column && column.isGenerated) {
      return countingType;
    }
    return normalizeType(column);
  };
  return dataSource;
}
