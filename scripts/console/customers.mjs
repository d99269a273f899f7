// A year of a provider of analytics, as its operators see it in the console.

export const SCHEMAS = [
  { provided_id: 'sales', name: 'Sales' },
  { provided_id: 'billing', name: 'Billing' },
  { provided_id: 'support', name: 'Support tickets' },
];

export const DATA_SOURCES = ['emea', 'amer', 'apac'].map((region) => ({
  provided_id: `warehouse-${region}`,
  name: `Warehouse ${region.toUpperCase()}`,
}));

/** Id, name, region, plan and the days since they have come. */
const CUSTOMERS = [
  ['northwind-traders', 'Northwind Traders', 'emea', 'enterprise', 341],
  ['contoso-retail', 'Contoso Retail', 'amer', 'enterprise', 322],
  ['fabrikam-logistics', 'Fabrikam Logistics', 'emea', 'team', 298],
  ['tailspin-toys', 'Tailspin Toys', 'amer', 'team', 263],
  ['wingtip-travel', 'Wingtip Travel', 'apac', 'starter', 240],
  ['adatum-health', 'Adatum Health', 'emea', 'enterprise', 211],
  ['litware-energy', 'Litware Energy', 'amer', 'team', 187],
  ['proseware-media', 'Proseware Media', 'apac', 'team', 160],
  ['fourth-coffee', 'Fourth Coffee', 'emea', 'starter', 121],
  ['woodgrove-bank', 'Woodgrove Bank', 'amer', 'enterprise', 96],
  ['lucerne-publishing', 'Lucerne Publishing', 'emea', 'starter', 74],
  ['margies-travel', 'Margie’s Travel', 'apac', 'starter', 52],
  ['alpine-ski-house', 'Alpine Ski House', 'emea', 'team', 31],
  ['trey-research', 'Trey Research', 'amer', 'team', 12],
];

export const GROUPS = CUSTOMERS.map(([user_group_id, name, region, plan, days]) => ({
  days,
  body: {
    user_group_id,
    name,
    mapping: {
      sales: `warehouse-${region}`,
      ...(plan !== 'starter' && { billing: `warehouse-${region}` }),
      ...(plan === 'enterprise' && { support: `warehouse-${region}` }),
    },
    properties: {
      region: region.toUpperCase(),
      plan,
      currency: { emea: 'EUR', amer: 'USD', apac: 'AUD' }[region],
      max_rows: { starter: 1000, team: 50_000, enterprise: 1_000_000 }[plan],
      vat: region === 'emea' ? 0.19 : 0,
    },
  },
}));

export const SUSPENDED = ['tailspin-toys', 'lucerne-publishing'];

export const API_TOKENS = [
  {
    name: 'backend of the product',
    scopes: ['user-groups:read', 'user-groups:write', 'user-group-tokens:read', 'tokens:rotate'],
    days: 341,
  },
  { name: 'dashboards', scopes: ['tokens:introspect'], days: 330 },
  { name: 'billing export', scopes: ['user-groups:read', 'audit:read'], days: 75 },
];
