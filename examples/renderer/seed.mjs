import Database from 'better-sqlite3';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FILES } from './data-sources.mjs';

const REGIONS = ['EMEA', 'AMER', 'APAC'];
const MONTHS = Array.from(
  { length: 12 },
  (_, index) => `2026-${String(index + 1).padStart(2, '0')}`,
);

/** The products of each tenant; no product belongs to both. */
const PRODUCTS = {
  'warehouse-acme': ['Tents', 'Backpacks', 'Sleeping bags', 'Stoves', 'Lanterns', 'Boots', 'Maps'],
  'warehouse-globex': ['Sensors', 'Gateways', 'Antennas', 'Batteries', 'Cables', 'Enclosures'],
};

/** Replaces the two data sources: the same rows each time, with every region in each. */
export function seed(directory) {
  mkdirSync(directory, { recursive: true });
  for (const [id, file] of FILES) {
    const path = join(directory, file);
    rmSync(path, { force: true });
    const database = new Database(path);
    database.exec(
      `CREATE TABLE sale (region TEXT NOT NULL, month TEXT NOT NULL, product TEXT NOT NULL, amount INTEGER NOT NULL);
       CREATE INDEX sale_region_month ON sale (region, month)`,
    );
    const insert = database.prepare('INSERT INTO sale VALUES (?, ?, ?, ?)');
    database.transaction(() => {
      for (const row of salesOf(PRODUCTS[id])) insert.run(...row);
    })();
    database.close();
  }
}

function* salesOf(products) {
  for (const [r, region] of REGIONS.entries()) {
    for (const [m, month] of MONTHS.entries()) {
      for (const [p, product] of products.entries()) {
        const share =
          1 / (1 + ((p + r * 2) % products.length) ** 1.3 * (0.2 + products.length / 40));
        const season = 1 + 0.3 * Math.sin(m + p * 2 + r);
        yield [region, month, product, Math.round(2500 * products.length * share * season)];
      }
    }
  }
}
