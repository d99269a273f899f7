// Preloaded into a process under test: writes down whom it connects to, looks up, or sends to.
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import net from 'node:net';
import { env } from 'node:process';

const note = (text) => {
  appendFileSync(env.RECORD_CONNECTIONS_TO, `${text}\n`);
};

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  // Called with what the public functions have made of their arguments, or with these themselves.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  const options = typeof first === 'object' ? first : { port: first, host: second };
  note(`connect ${options.path ?? `${options.host ?? 'localhost'}:${options.port}`}`);
  return connect.apply(this, args);
};

const { lookup } = dns;
dns.lookup = (name, ...rest) => {
  if (!net.isIP(name)) note(`look up ${name}`);
  return lookup(name, ...rest);
};

const { send } = dgram.Socket.prototype;
dgram.Socket.prototype.send = function (...args) {
  note('send a datagram');
  return send.apply(this, args);
};
