/**
 * The connection pool: at most 128 connections to a host, more than any batch needs, closed after 4 s idle. The number
 * of idle connections is limited, so that a POST to another endpoint never waits for a free one.
 *
 * A host with several addresses is dialed as RFC 8305 ("Happy Eyeballs") says: the next address is tried when the one
 * before fails or takes long, without ending the earlier attempt; the first that connects is used. Node's own
 * `autoSelectFamily` gives each address but the last 250 ms: on a network without IPv6 a host with an IPv4 and an IPv6
 * address then fails if it needs longer.
 */

import { lookup, Resolver } from 'node:dns/promises';
import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SecureContextOptions } from 'node:tls';
import { acknowledgeWithinSeconds } from '../../contract/webhook-worker-times.ts';
import { keepingConnections } from '../../platform/kept-connections.ts';
import { codedError, type Resolve } from '../address-guard.ts';

const maxTotal = 512;
/**
 * The maximum number of idle connections. With these and all that a worker uses at once, an agent stays far below its
 * total.
 */
const maxIdle = 256;
/** Less than the 5 s after which common servers close, so that a POST rarely uses a closing connection. */
const idleMaxMs = 4000;

type Created = (error: Error | null, stream: Duplex) => void;

function targetOf({ host, port, lookup }: ClientRequestArgs): DialTarget {
  if (!host || lookup === undefined) throw new Error('a request needs a host and a lookup');
  return { host, port: Number(port), lookup };
}

/** An agent waits for the callback of its `createConnection`; a failed connection has no stream. */
const failedWith = (created: Created | undefined) => (error: Error) => created?.(error, undefined as never);

export function connections(tls: SecureContextOptions = {}, connectTo?: ConnectTo) {
  class DialingHttpAgent extends HttpAgent {
    override createConnection(options: ClientRequestArgs, created?: Created): undefined {
      dial(targetOf(options), connectTo).then((socket) => created?.(null, socket), failedWith(created));
    }
  }
  class DialingHttpsAgent extends HttpsAgent {
    override createConnection(options: ClientRequestArgs, created?: Created): undefined {
      const secure = (socket: Duplex) => super.createConnection({ ...options, socket } as ClientRequestArgs);
      dial(targetOf(options), connectTo)
        .then(secure)
        .then((socket) => created?.(null, socket as Duplex), failedWith(created));
    }
  }

  const pool = {
    keepAlive: true,
    maxSockets: 128,
    maxTotalSockets: maxTotal,
    maxFreeSockets: 4,
    timeout: idleMaxMs,
  };
  const agents = {
    http: keepingConnections(new DialingHttpAgent(pool), idleMaxMs),
    https: keepingConnections(new DialingHttpsAgent({ ...pool, ...tls }), idleMaxMs),
  };
  return {
    ...agents,
    /** Closes idle connections if there are too many: Node's agents never close one host's for another's. */
    makeRoom() {
      for (const { freeSockets } of [agents.http, agents.https]) {
        // The host that has had idle connections for longest comes first.
        const idle = Object.values(freeSockets).flatMap((sockets = []) => sockets);
        for (const socket of idle.slice(0, Math.max(0, idle.length - maxIdle))) socket.destroy();
      }
    },
  };
}

/** RFC 8305, section 5: "Connection Attempt Delay". */
const nextAddressAfterMs = 250;
const giveUpAfterMs = acknowledgeWithinSeconds * 1000;
/** Errors of this machine's network rather than of the endpoint: any other error is reported first. */
const unreachableCodes = ['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT'];

interface DialTarget {
  readonly host: string;
  readonly port: number;
  /** Returns permitted addresses only, or fails. */
  readonly lookup: LookupFunction;
}

export type ConnectTo = (address: string, port: number) => Socket;

const tcpConnect: ConnectTo = (host, port) =>
  netConnect({ host, port, noDelay: true, autoSelectFamily: false });

export async function dial(target: DialTarget, connectTo: ConnectTo = tcpConnect): Promise<Socket> {
  const addresses = isIP(target.host) === 0 ? familiesInTurn(await allOf(target)) : [target.host];
  return await new Promise((resolve, reject) => {
    const open = new Set<Socket>();
    const errors: Error[] = [];
    let next = 0;
    let nextTimer: NodeJS.Timeout | undefined;
    const giveUp = () => failed(codedError('no address connected in time', 'ETIMEDOUT'));
    const giveUpTimer = setTimeout(giveUp, giveUpAfterMs);

    function tryNext(): void {
      clearTimeout(nextTimer);
      const address = addresses[next];
      if (address === undefined) {
        if (open.size === 0) failed(mostTelling(errors));
        return;
      }
      next += 1;
      const socket = connectTo(address, target.port);
      open.add(socket);
      socket.once('connect', () => connected(socket));
      socket.on('error', (error) => {
        if (!open.delete(socket)) return;
        errors.push(error);
        tryNext();
      });
      nextTimer = setTimeout(tryNext, nextAddressAfterMs);
    }

    function connected(socket: Socket): void {
      open.delete(socket);
      closeOthers();
      resolve(socket);
    }

    function failed(error: Error): void {
      closeOthers();
      reject(error);
    }

    function closeOthers(): void {
      clearTimeout(nextTimer);
      clearTimeout(giveUpTimer);
      for (const socket of open) socket.destroy();
      open.clear();
    }

    tryNext();
  });
}

function allOf({ host, lookup }: DialTarget): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, found) => {
      if (error) reject(error);
      else resolve(typeof found === 'string' ? [found] : found.map(({ address }) => address));
    });
  });
}

/**
 * Takes an address of each family in turn, so that a family that does not work costs one delay (RFC 8305, section 4).
 */
function familiesInTurn(addresses: readonly string[]): readonly string[] {
  const first = addresses.filter((address) => isIP(address) === isIP(addresses[0] ?? ''));
  const second = addresses.filter((address) => !first.includes(address));
  return addresses.flatMap((_, n) => [first[n], second[n]]).filter((address) => address !== undefined);
}

function mostTelling(errors: readonly Error[]): Error {
  const isLocal = (error: Error) => 'code' in error && unreachableCodes.includes(String(error.code));
  return (
    errors.find((error) => !isLocal(error)) ?? errors[0] ?? new Error('there is no address to connect to')
  );
}

interface DnsSettings {
  /** Name servers to use instead of the machine's. */
  readonly servers?: readonly string[];
  /** The time limit of each of the two queries. */
  readonly timeoutMs?: number;
  /** How long to wait for the second kind of address (A or AAAA) after the first: some servers never respond for one. */
  readonly otherKindWaitMs?: number;
}

/**
 * Sends DNS queries with a time limit, so that a slow name server delays only its own webhooks. `dns.lookup` would use four threads that the whole process shares: four names
 * with a silent server would stop every other webhook.
 */
export function dnsResolve({ servers, timeoutMs = 1500, otherKindWaitMs = 200 }: DnsSettings = {}): Resolve {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2, maxTimeout: timeoutMs });
  if (servers !== undefined) resolver.setServers(servers);
  return async (hostname) => {
    const found: Record<4 | 6, readonly string[]> = { 4: [], 6: [] };
    const lookups = [
      resolver.resolve4(hostname).then((addresses) => {
        found[4] = addresses;
      }),
      resolver.resolve6(hostname).then((addresses) => {
        found[6] = addresses;
      }),
    ];
    const wait = new AbortController();
    const oneKind = Promise.any(lookups).then(() =>
      sleep(otherKindWaitMs, undefined, { signal: wait.signal }),
    );
    // The error is thrown below if both lookups failed.
    await Promise.race([Promise.allSettled(lookups), oneKind.catch(() => undefined)]);
    wait.abort();
    const addresses = [...found[4], ...found[6]];
    if (addresses.length === 0) await Promise.all(lookups);
    return addresses;
  };
}

/** Resolves as the machine does, with its hosts file: for the local stage, whose endpoints run on this machine. */
export const machineResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};
