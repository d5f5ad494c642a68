/**
 * Stands in a vendor's place: answers as the vendor documents, refuses what its description refuses, loses, delays and doubles
 * as planned, and keeps a ledger of what it took.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { VendorDescription, VendorRequest } from '../support/carrier/vendor-description.ts';
import type { Outcome, Taken, Vendor, VendorResponse } from '../support/carrier/vendors/vendor.ts';
import { startServer } from '../support/http/local-server.ts';
import type { CallFault, FaultPlan, MessageFate, ReportFault } from './faults.ts';
import type { Reporter } from './reporters.ts';

/** Longer than any caller waits. */
const lateAfterMs = 10_000;
const reportAfterMs = 100;
/** Before the reports of one message in so many, a stranger reports that it failed. */
const forgedEach = 4;
/** Prices differ, so that one that is taken for another shows. */
const differentPrices = 50;

/** A message that the vendor refused. */
export interface Refused {
  readonly to: string;
  readonly attemptId: string;
  readonly why: 'recipient' | 'account';
}

/** What the judge reads. */
export interface Ledger {
  readonly vendor: Vendor;
  readonly taken: readonly Taken[];
  readonly refused: readonly Refused[];
  /** How often it was asked to send something to each recipient, lost requests included. */
  readonly callsFor: ReadonlyMap<string, number>;
  /** Requests with an attempt id that was taken before, of which nothing was sent. */
  readonly repeats: number;
  readonly calls: number;
  /** Callbacks of strangers, all of them refused unless a finding says otherwise. */
  readonly forged: number;
  readonly faults: ReadonlyMap<Fault, number>;
  /** What must not be: refused requests, refused callbacks, responses of this double that are not as described. */
  readonly findings: readonly string[];
}

type Fault = CallFault | ReportFault | MessageFate;

export interface StandIn {
  readonly url: string;
  readonly ledger: Ledger;
  /** Before, nothing is reported. */
  reportBy(reporter: Reporter): void;
  close(): Promise<void>;
}

export async function startStandIn(
  vendor: Vendor,
  plan: FaultPlan,
  description: VendorDescription,
): Promise<StandIn> {
  const taken: Taken[] = [];
  const refused: Refused[] = [];
  const callsFor = new Map<string, number>();
  const faults = new Map<Fault, number>();
  const findings: string[] = [];
  const counts = { calls: 0, repeats: 0, forged: 0 };
  let reporter: Reporter | undefined;
  const closing = new AbortController();
  const wait = (ms: number) => pause(ms, undefined, { signal: closing.signal }).catch(() => undefined);

  const server = await startServer((incoming, outgoing) => {
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
    const { template, faults: wrong } = description.judge(request);
    if (wrong.length > 0) {
      findings.push(`${request.method} ${template ?? request.path}: ${wrong.slice(0, 3).join('; ')}`);
      return { status: 422, text: wrong.join('\n') };
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
    const fate = plan.ofMessage(vendor.name, asked.to);
    if (fate === 'refused_recipient' || fate === 'refused_account') {
      const why = fate === 'refused_recipient' ? 'recipient' : 'account';
      const refusal = vendor.refusal(why);
      if (refusal !== undefined) {
        count(fate);
        refused.push({ ...asked, why });
        return refusal;
      }
    }
    const price = (30 + (taken.length % differentPrices)) / 1000;
    const outcome: Outcome = fate === 'unreachable' ? 'unreachable' : 'delivered';
    if (fate === 'unreachable') count(fate);
    const message = { ...asked, vendorId: vendor.newId(), at: new Date(), price, outcome };
    taken.push(message);
    const fault = plan.ofReports(vendor.name, asked.to);
    if (fault !== undefined) count(fault);
    const reported = report(message, fault);
    if (fault === 'before_response') await reported;
    return vendor.accepted(message, false);
  }

  async function report(message: Taken, fault: ReportFault | undefined): Promise<void> {
    if (fault !== 'before_response') await wait(reportAfterMs);
    if (reporter === undefined) return;
    const isForged = taken.indexOf(message) % forgedEach === 0;
    if (isForged && reporter.forge !== undefined) {
      counts.forged += 1;
      note(await reporter.forge(vendor.report(message, 'unreachable'), counts.forged));
    }
    const callbacks = (['sent', message.outcome] as const).map((outcome) => vendor.report(message, outcome));
    const ordered = fault === 'out_of_order' ? callbacks.toReversed() : callbacks;
    for (const callback of fault === 'doubled' ? ordered.flatMap((one) => [one, one]) : ordered) {
      for (const wrong of description.callbackFaults(callback.name ?? '', callback.text))
        findings.push(`the double's callback ${callback.path}: ${wrong}`);
      const wrong = await reporter.report(callback);
      // At the end of a run the gateway stops while reports are still on their way.
      if (!closing.signal.aborted) note(wrong);
    }
  }

  function note(wrong: string | undefined): void {
    if (wrong !== undefined) findings.push(wrong);
  }

  function count(fault: Fault): void {
    faults.set(fault, (faults.get(fault) ?? 0) + 1);
  }

  return {
    url: server.url,
    ledger: {
      vendor,
      taken,
      refused,
      callsFor,
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
    reportBy(given) {
      reporter = given;
    },
    close() {
      closing.abort();
      return server.close();
    },
  };
}

const badGateway: VendorResponse = { status: 502, text: '<html>Bad gateway</html>' };

function respond(outgoing: ServerResponse, { status, headers, text }: VendorResponse): void {
  outgoing.writeHead(status, headers);
  outgoing.end(text);
}

async function readRequest(incoming: IncomingMessage): Promise<VendorRequest> {
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers,
    text: await text(incoming),
  };
}
