/** What must hold of each run, judged by what can be seen from outside: a new promise is one entry in one of these files. */

import { ofAttempts } from './attempts.ts';
import { ofCaps } from './caps.ts';
import { ofEndpoints } from './endpoints.ts';
import { ofHandOvers } from './hand-overs.ts';
import { ofHolds } from './holds.ts';
import { ofInbound } from './inbound.ts';
import { ofMessages } from './messages.ts';
import { ofOperation } from './operation.ts';
import { ofPaces } from './paces.ts';
import { ofPages } from './pages.ts';
import { ofPasswords } from './passwords.ts';
import { ofPeople } from './people.ts';
import { ofRefusals } from './refusals.ts';
import { ofResends } from './resends.ts';
import { ofRows } from './rows.ts';
import { ofShown } from './shown.ts';
import { ofTestKeys } from './test-keys.ts';
import { ofWebhooks } from './webhooks.ts';

export const invariants = {
  ...ofMessages,
  ...ofHandOvers,
  ...ofPaces,
  ...ofAttempts,
  ...ofPeople,
  ...ofWebhooks,
  ...ofOperation,
  ...ofRefusals,
  ...ofShown,
  ...ofPasswords,
  ...ofHolds,
  ...ofInbound,
  ...ofEndpoints,
  ...ofResends,
  ...ofCaps,
  ...ofTestKeys,
  ...ofPages,
  ...ofRows,
};
