/* global cube */
cube('sale', {
  sql_table: 'sale',
  measures: { total: { sql: 'amount', type: 'sum' } },
  dimensions: {
    id: { sql: 'id', type: 'number', primary_key: true },
    product: { sql: 'product', type: 'string' },
    region: { sql: 'region', type: 'string' },
    amount: { sql: 'amount', type: 'number' },
  },
});
