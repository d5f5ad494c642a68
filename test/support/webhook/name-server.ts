/** A DNS server for tests: answers A and AAAA queries over UDP as the test defines, or not at all. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** Addresses, which may be none; an error code; or no response. */
export type NameAnswer = readonly string[] | 'nxdomain' | 'servfail' | 'silent';

export interface NameServer {
  /** `address:port`, for a resolver. */
  readonly address: string;
  /** The received queries, as `A name` or `AAAA name`. */
  readonly queries: readonly string[];
  close(): Promise<void>;
}

const types: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' };
const responseCodes = { servfail: 2, nxdomain: 3 } as const;
const headerBytes = 12;

export async function startNameServer(
  answerTo: (name: string, type: 'A' | 'AAAA') => NameAnswer | Promise<NameAnswer>,
): Promise<NameServer> {
  const queries: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', async (query, sender) => {
    const { name, type, end } = questionOf(query);
    queries.push(`${type} ${name}`);
    const answer = await answerTo(name, type);
    if (answer === 'silent') return;
    socket.send(response(query, end, type, answer), sender.port, sender.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** RFC 1035, section 4.1.2: labels with their lengths, then type and class. */
function questionOf(query: Buffer): { name: string; type: 'A' | 'AAAA'; end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = types[query.readUInt16BE(at + 1)];
  if (type === undefined) throw new Error('a query of a type that was not expected');
  return { name: labels.join('.').toLowerCase(), type, end: at + 5 };
}

function response(query: Buffer, questionEnd: number, type: 'A' | 'AAAA', answer: NameAnswer): Buffer {
  const addresses = typeof answer === 'string' ? [] : answer;
  const header = Buffer.alloc(headerBytes);
  query.copy(header, 0, 0, 2);
  // A response, recursion available, to one question; no other sections.
  const code = answer === 'nxdomain' || answer === 'servfail' ? responseCodes[answer] : 0;
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const data = type === 'A' ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc000 | headerBytes, 0);
    record.writeUInt16BE(type === 'A' ? 1 : 28, 2);
    record.writeUInt16BE(1, 4);
    // A time to live of 0, so that nothing is cached.
    record.writeUInt32BE(0, 6);
    record.writeUInt16BE(data.length, 10);
    return Buffer.concat([record, data]);
  });
  return Buffer.concat([header, query.subarray(headerBytes, questionEnd), ...records]);
}

/** Parses an address with at most one `::`. */
function ipv6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const gap = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(gap).fill('0'), ...groups(tail)];
  return Buffer.from(
    all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
  );
}
