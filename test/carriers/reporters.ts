/** How the reports of a double reach the gateway: by signed callbacks, among those of strangers, or by the topic of AWS. */
import { setTimeout as pause } from 'node:timers/promises';
import { alteredCallback } from '../support/carrier/altered-callback.ts';
import type { Callback, CallbackVendor } from '../support/carrier/vendors/vendor.ts';

/** Each returns what is wrong; undefined where nothing. */
export interface Reporter {
  report(callback: Callback): Promise<string | undefined>;
  /** An altered callback must be refused, or the message fails. Absent where strangers have no access. */
  forge?(genuine: Callback, nth: number): Promise<string | undefined>;
}

/** A vendor calls again where its callback was not taken. */
const callbackTries = 40;
const callbackAgainAfterMs = 1000;

export function callbackReporter(vendor: CallbackVendor, baseUrl: string): Reporter {
  const addressOf = ({ path }: Callback): string => `${baseUrl}/carriers/${vendor.name}/${path}`;
  return {
    async report(callback) {
      const url = addressOf(callback);
      const secret = vendor.credentials[vendor.callbackSecret] ?? '';
      const headers = { 'content-type': callback.contentType, ...vendor.sign(callback, url, secret) };
      let last = '';
      for (let tries = 0; tries < callbackTries; tries += 1) {
        try {
          const response = await fetch(url, { method: 'POST', headers, body: callback.text });
          if (response.ok) return undefined;
          last = `${response.status} ${await response.text()}`;
          if (response.status < 500 && response.status !== 429) break;
        } catch (error) {
          last = String(error);
        }
        await pause(callbackAgainAfterMs, undefined, { ref: false });
      }
      return `the gateway did not take the callback ${callback.path}: ${last}`;
    },
    async forge(genuine, nth) {
      const url = addressOf(genuine);
      const forged = alteredCallback(vendor, genuine, url, nth);
      const headers = { 'content-type': forged.contentType, ...forged.headers };
      const response = await fetch(url, { method: 'POST', headers, body: forged.text }).catch(
        () => undefined,
      );
      return response?.ok === true ? `an altered callback was taken: ${forged.path}` : undefined;
    },
  };
}

/** @param publish - publishes a message to the topic of receipts */
export function topicReporter(publish: (message: string) => Promise<void>): Reporter {
  return {
    async report({ text }) {
      try {
        await publish(text);
        return undefined;
      } catch (error) {
        return `the topic did not take an event: ${error}`;
      }
    },
  };
}
