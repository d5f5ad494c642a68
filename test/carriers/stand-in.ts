/**
 * Stands in a vendor's place: answers as the vendor documents, refuses what its description refuses, loses, delays and doubles
 * as planned, and keeps a ledger of what it took.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { alteredCallback } from '../support/carrier/altered-callback.ts';
import { readVendorDescription, type VendorRequest } from '../support/carrier/vendor-description.ts';
import type { Callback, Taken, Vendor, VendorResponse } from '../support/carrier/vendors/vendor.ts';
import type { CallFault, FaultPlan, ReportFault } from './faults.ts';

/** Longer than any caller waits. */
const lateAfterMs = 10_000;
const reportAfterMs = 100;
/** Before the reports of one message in so many, a stranger reports that it failed. */
const forgedEach = 4;
/** A vendor calls again where its callback was not taken. */
const callbackTries = 40;
const callbackAgainAfterMs = 1000;

/** What the judge reads. */
export interface Ledger {
  readonly vendor: Vendor;
  readonly taken: readonly Taken[];
  /** Requests with an attempt id that was taken before, of which nothing was sent. */
  readonly repeats: number;
  readonly calls: number;
  /** Callbacks of strangers, all of them refused unless a finding says otherwise. */
  readonly forged: number;
  readonly faults: ReadonlyMap<CallFault | ReportFault, number>;
  /** What must not be: refused requests, refused callbacks, responses of this double that are not as described. */
  readonly findings: readonly string[];
}

export interface StandIn {
  readonly url: string;
  readonly ledger: Ledger;
  /** Callbacks go to this address from now on. */
  reportTo(baseUrl: string): void;
  close(): Promise<void>;
}

export async function startStandIn(
  vendor: Vendor,
  plan: FaultPlan,
  descriptionFile = vendor.description,
): Promise<StandIn> {
  const description = readVendorDescription(descriptionFile);
  const taken: Taken[] = [];
  const callsFor = new Map<string, number>();
  const faults = new Map<CallFault | ReportFault, number>();
  const findings: string[] = [];
  const counts = { calls: 0, repeats: 0, forged: 0 };
  let baseUrl = '';
  const closing = new AbortController();
  const wait = (ms: number) => pause(ms, undefined, { signal: closing.signal }).catch(() => undefined);

  const server = createServer((incoming, outgoing) => {
    void serve(incoming, outgoing).catch((error: unknown) => findings.push(`the double failed: ${error}`));
  });

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    counts.calls += 1;
    const asked = vendor.askedIn(request);
    const recipient = asked?.to ?? request.path;
    const call = (callsFor.get(recipient) ?? 0) + 1;
    callsFor.set(recipient, call);
    const fault = plan.ofCall(vendor.name, recipient, call);
    if (fault !== undefined) count(fault);
    if (fault === 'lost_request') return void incoming.socket.destroy();
    if (fault === '502_before') return respond(outgoing, badGateway);
    const throttled = fault === 'throttled' ? vendor.refusal('throttled') : undefined;
    const response = throttled ?? (await answer(request));
    if (fault === 'lost_response') return void incoming.socket.destroy();
    if (fault === '502_after') return respond(outgoing, badGateway);
    if (fault === 'late_response') await wait(lateAfterMs);
    respond(outgoing, response);
  }

  async function answer(request: VendorRequest): Promise<VendorResponse> {
    const { template, faults: refused } = description.judge(request);
    if (refused.length > 0) {
      findings.push(`${request.method} ${template ?? request.path}: ${refused.slice(0, 3).join('; ')}`);
      return { status: 422, text: refused.join('\n') };
    }
    if (!vendor.isAuthorized(request)) return vendor.unauthorized;
    const response = await act(request);
    for (const wrong of description.responseFaults(request, response.status, response.text))
      findings.push(`the double's response to ${request.method} ${template}: ${wrong}`);
    return response;
  }

  async function act(request: VendorRequest): Promise<VendorResponse> {
    const asked = vendor.askedIn(request);
    if (asked === undefined) return vendor.answer(request, taken);
    const earlier = taken.find(({ attemptId }) => attemptId === asked.attemptId);
    if (earlier !== undefined && vendor.recognizesRepeats) {
      counts.repeats += 1;
      return vendor.accepted(earlier, true);
    }
    const message = { ...asked, vendorId: vendor.newId(), at: new Date() };
    taken.push(message);
    const fault = plan.ofReports(vendor.name, asked.to);
    if (fault !== undefined) count(fault);
    const reported = report(message, fault);
    if (fault === 'before_response') await reported;
    return vendor.accepted(message, false);
  }

  async function report(message: Taken, fault: ReportFault | undefined): Promise<void> {
    if (fault !== 'before_response') await wait(reportAfterMs);
    if (taken.indexOf(message) % forgedEach === 0) await forge(message);
    const callbacks = (['sent', 'delivered'] as const).map((outcome) => vendor.report(message, outcome));
    const ordered = fault === 'out_of_order' ? callbacks.toReversed() : callbacks;
    for (const callback of fault === 'doubled' ? ordered.flatMap((one) => [one, one]) : ordered) {
      for (const wrong of description.callbackFaults(callback.name ?? '', callback.text))
        findings.push(`the double's callback ${callback.path}: ${wrong}`);
      await post(callback);
    }
  }

  /** An altered callback must be refused, or the message fails. */
  async function forge(message: Taken): Promise<void> {
    const genuine = vendor.report(message, 'unreachable');
    const url = addressOf(genuine);
    const forged = alteredCallback(vendor, genuine, url, counts.forged);
    counts.forged += 1;
    const headers = { 'content-type': forged.contentType, ...forged.headers };
    const response = await fetch(url, { method: 'POST', headers, body: forged.text }).catch(() => undefined);
    if (response?.ok === true) findings.push(`an altered callback was taken: ${forged.path}`);
  }

  function addressOf({ path }: Callback): string {
    return `${baseUrl}/carriers/${vendor.name}/${path}`;
  }

  async function post(callback: Callback): Promise<void> {
    const url = addressOf(callback);
    const secret = vendor.credentials[vendor.callbackSecret] ?? '';
    const headers = { 'content-type': callback.contentType, ...vendor.sign(callback, url, secret) };
    let last = '';
    for (let tries = 0; tries < callbackTries && !closing.signal.aborted; tries += 1) {
      try {
        const response = await fetch(url, { method: 'POST', headers, body: callback.text });
        if (response.ok) return;
        last = `${response.status} ${await response.text()}`;
        if (response.status < 500 && response.status !== 429) break;
      } catch (error) {
        last = String(error);
      }
      await wait(callbackAgainAfterMs);
    }
    findings.push(`the gateway did not take the callback ${callback.path}: ${last}`);
  }

  function count(fault: CallFault | ReportFault): void {
    faults.set(fault, (faults.get(fault) ?? 0) + 1);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    ledger: {
      vendor,
      taken,
      faults,
      findings,
      get forged() {
        return counts.forged;
      },
      get calls() {
        return counts.calls;
      },
      get repeats() {
        return counts.repeats;
      },
    },
    reportTo(address) {
      baseUrl = address;
    },
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const badGateway: VendorResponse = { status: 502, text: '<html>Bad gateway</html>' };

function respond(outgoing: ServerResponse, { status, headers, text }: VendorResponse): void {
  outgoing.writeHead(status, headers);
  outgoing.end(text);
}

async function readRequest(incoming: IncomingMessage): Promise<VendorRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers,
    text: Buffer.concat(chunks).toString('utf8'),
  };
}
