import { AddressRules } from '../../src/features/webhook/sending/address-rules.ts';

const rules = new AddressRules();

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '223.255.255.254',
  '2606:4700:4700::1111',
  '2a00:1450:4001:82b::200e',
  '::ffff:8.8.8.8',
  '::FFFF:808:808',
  '64:ff9b::8.8.8.8',
])('%s is public', (address) => {
  expect(rules.permits(address)).toBe(true);
});

test.each([
  ['this host', '0.0.0.0', '0.1.2.3', '::'],
  ['loopback', '127.0.0.1', '127.0.0.53', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'],
  [
    'private networks',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    'fd00::1',
    'fc00::1',
  ],
  [
    'the metadata of clouds',
    '169.254.169.254',
    'fe80::1',
    'fe80::1%eth0',
    'fe80::1%eth0.1',
    'fd00:ec2::254',
    '168.63.129.16',
  ],
  ['shared addresses of carriers', '100.64.0.1', '100.127.255.254'],
  ['multicast and broadcast', '224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
  [
    'documentation and tests',
    '192.0.2.1',
    '198.51.100.7',
    '203.0.113.9',
    '198.18.0.1',
    '2001:db8::1',
    '3fff::1',
  ],
  ['reserved ranges', '192.0.0.1', '240.0.0.1', '192.88.99.1', '4000::1', '100::1', '5f00::1'],
  ['site-local addresses', 'fec0::1', 'feff::1'],
  [
    'mapped forms',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a00:1',
    '::FFFF:169.254.169.254',
  ],
  ['compatible forms', '::127.0.0.1', '::10.0.0.1', '::a9fe:a9fe'],
  [
    'translated forms',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a00:1',
    '::ffff:0:127.0.0.1',
  ],
  [
    'tunnels',
    '2002:7f00:1::',
    '2002:808:808::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:10::1',
  ],
  [
    'what is no address',
    '',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '8.8.8',
    '8.8.8.8.',
    ' 8.8.8.8',
    '[::1]',
    '08.8.8.8',
    '1.1.1.1/32',
  ],
])('%s are forbidden', (_name, ...addresses) => {
  expect(addresses.filter((address) => rules.permits(address))).toEqual([]);
});

describe('an allow-list', () => {
  const allowing = new AddressRules([
    '127.0.0.2',
    '10.0.0.0/8',
    'fd00:1::/32',
    '::ffff:192.168.0.0/112',
  ]);

  test('admits what is in it, in every form, and nothing beside it', () => {
    const admitted = [
      '127.0.0.2',
      '::ffff:127.0.0.2',
      '64:ff9b::127.0.0.2',
      '10.255.0.1',
      'fd00:1::7',
      '192.168.255.1',
    ];
    expect(admitted.filter((address) => !allowing.permits(address))).toEqual([]);
    const others = [
      '127.0.0.1',
      '127.0.0.3',
      '10.0.0.0.1',
      '::1',
      '::ffff:127.0.0.3',
      'fd00:2::7',
      '172.16.0.1',
      '169.254.169.254',
    ];
    expect(others.filter((address) => allowing.permits(address))).toEqual([]);
    expect(allowing.permits('8.8.8.8')).toBe(true);
  });

  test('a range of one family admits none of the other', () => {
    expect(new AddressRules(['::/0']).permits('127.0.0.1')).toBe(false);
    expect(new AddressRules(['0.0.0.0/0']).permits('::1')).toBe(false);
    expect(new AddressRules(['0.0.0.0/0']).permits('::ffff:127.0.0.1')).toBe(true);
  });
});
