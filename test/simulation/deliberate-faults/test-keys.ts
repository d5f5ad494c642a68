/** Faults of test keys: what they send reaches people, or changes live data. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of source files
import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'a test message goes to the carrier': {
    theme: 'messages',
    promise: '17.1',
    changes: [
      {
        file: 'shared/carrier/choose-carrier.ts',
        replace: "const isTest = modeOf(client_id) === 'test';",
        by: "const isTest = client_id === '' && modeOf(client_id) === 'test';",
      },
    ],
  },
  'a test message counts towards the caps of live ones': {
    theme: 'caps',
    promise: '17.3',
    changes: [
      {
        file: 'shared/limit/take-from-caps.ts',
        replace: 'return `caps:${clientId}|${month}`;',
        by: "return `caps:${clientId.replace(/-test$/, '')}|${month}`;",
      },
    ],
  },
  'a test message takes a slot of the live sender': {
    theme: 'bulk',
    promise: '17.3',
    changes: [
      {
        file: 'shared/message/dispatch/reserve-slots.ts',
        replace: "modeOf(message.client_id) === 'test' ? `test ${identity}` : identity",
        by: "modeOf(message.client_id) === 'test' ? identity : identity",
      },
    ],
  },
  'a suppression by a test key is one of the live client': {
    theme: 'opt-outs',
    promise: '17.3',
    changes: [
      {
        file: 'shared/message/suppression/suppression-store.dynamo.ts',
        replace: '      Key: { client_id, recipient },\n      UpdateExpression',
        by: "      Key: { client_id: client_id.replace(/-test$/, ''), recipient },\n      UpdateExpression",
      },
    ],
  },
  'a test key reads live messages': {
    theme: 'messages',
    promise: '17.3',
    changes: [
      {
        file: 'shared/message/status-and-cancel.ts',
        replace: 'message?.client_id !== clientId',
        by: "message?.client_id.replace(/-test$/, '') !== clientId.replace(/-test$/, '')",
      },
    ],
  },
  'a live key reads the outbox': {
    theme: 'messages',
    promise: '17.5',
    changes: [
      {
        file: 'shared/carrier/simulator/test-outbox.ts',
        replace: "if (modeOf(clientId) === 'live')",
        by: "if (clientId === '' && modeOf(clientId) === 'live')",
      },
    ],
  },
  'a test message is not shown as one': {
    theme: 'messages',
    promise: '17.4',
    changes: [
      {
        file: 'shared/message/message-response.ts',
        replace: '    ...modeField(message.client_id),\n',
        by: '    ...(message.segments === -1 && modeField(message.client_id)),\n',
      },
    ],
  },
  'a password of a test counts towards a live hold': {
    theme: 'otp',
    promise: '17.3',
    changes: [
      {
        file: 'shared/otp/otp-traffic.dynamo.ts',
        replace: 'key: { client_country: clientCountry(clientId, country)',
        by: "key: { client_country: clientCountry(clientId.replace(/-test$/, ''), country)",
      },
    ],
  },
  'to whom a test message went is kept for months': {
    theme: 'messages',
    promise: '17.6',
    changes: [
      {
        file: 'shared/message/store/contacts.dynamo.ts',
        replace: "modeOf(writer) === 'live' ? renewedDays.live : 0",
        by: 'renewedDays.live',
      },
    ],
  },
  'that a test suppression was ended is kept for months': {
    theme: 'opt-outs',
    promise: '17.6',
    changes: [
      {
        file: 'shared/message/suppression/suppression-store.dynamo.ts',
        replace: 'keptDays(client_id, removedDays)',
        by: 'removedDays',
      },
    ],
  },
  'the first use of a test key ends before its newest': {
    theme: 'messages',
    promise: '5.6',
    changes: [
      {
        file: 'shared/message/store/message-rows.dynamo.ts',
        replace: 'if (await update(',
        by: 'if (!isTest && await update(',
      },
    ],
  },
};
