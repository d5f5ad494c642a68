/** Rate limits, caps, and how a client sees what it has used. */

import { recipientSendsMax, recipientWindowSeconds } from '../../../../shared/contract/otp-abuse.ts';
import { caps, policies } from '../../../../shared/contract/rate-limits-and-caps.ts';
import { inWords } from '../../../../shared/platform/clock.ts';
import type { OpenApiDocument } from '../../openapi/document.ts';
import { namedHeaders } from '../../openapi/headers.ts';
import { limitTopics } from '../../openapi/introduction.ts';
import { codeRow, type Html, heading, html, inline, prose, table } from '../html.ts';
import type { Page } from '../page.ts';
import { linkTo } from '../site.ts';

export function limitsPage(document: Pick<OpenApiDocument, 'paths'>): Page {
  const below: Readonly<Record<string, Html>> = {
    'rate-limits': html`${limitTable(document)}${headerTable()}`,
    caps: capTable(),
  };
  return {
    sections: [...limitTopics.map(({ id, title }) => ({ id, title })), { id: 'usage', title: 'Usage' }],
    main: html`<h1>Limits and usage</h1>
${limitTopics.map(({ id, title, text }) => html`<section>${heading(2, id, title)}${prose(text)}${below[id]}</section>`)}
<section>${heading(2, 'usage', 'Usage')}
${prose(`[\`GET /api/v1/account/usage\`](${linkTo('reference', 'getUsage')}) shows how many messages you sent, their states and cost, and how much of each cap is used. [\`GET /api/v1/account\`](${linkTo('reference', 'getAccount')}) shows the rate limits that are in force for you.`)}</section>`,
  };
}

/** Makes one row for each policy: the operations of a policy are counted together. */
function limitTable({ paths }: Pick<OpenApiDocument, 'paths'>): Html {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const byPolicy = Map.groupBy(operations, (operation) => operation['x-rate-limits'].policy);
  const number = (value: number): string => value.toLocaleString('en');
  return html`<p>The defaults. Operations in the same row are counted together:</p>${table(
    [
      { title: 'Policy' },
      { title: 'A minute', quiet: true, repeated: true },
      { title: 'An hour', quiet: true, repeated: true },
      { title: 'A day', quiet: true, repeated: true },
      { title: 'Operations' },
    ],
    Object.entries(policies).flatMap(([policy, { perMinute, perHour, perDay }]) => {
      const counted = byPolicy.get(policy);
      if (counted === undefined) return [];
      const links = html`${counted.map(({ operationId, summary }, index) => html`${index > 0 && ', '}<a href="${linkTo('reference', operationId)}">${summary}</a>`)}`;
      return codeRow(`limit.${policy}`, policy, ...[perMinute, perHour, perDay].map(number), links);
    }),
  )}<p>Requests without a valid credential, those for this documentation and those for unknown paths are counted by source address: ${number(policies.unmatched.perMinute)} a minute, ${number(policies.unmatched.perHour)} an hour, ${number(policies.unmatched.perDay)} a day. Each client can send at most ${recipientSendsMax} one-time passwords to the same recipient in ${inWords([recipientWindowSeconds])}; those of other clients do not count.</p>`;
}

function headerTable(): Html {
  const shown = Object.entries(namedHeaders).filter(([name]) => /ratelimit|retry-after/i.test(name));
  return html`<h3 id="rate-limit-headers"><a href="#rate-limit-headers">Headers</a></h3>${table(
    [{ title: 'Header' }, { title: 'Meaning' }],
    shown.map(([name, { description, ...header }]) => {
      const example =
        'example' in header && html`<p class="quiet">Example: <code>${header.example}</code></p>`;
      return codeRow(`header.${name}`, name, html`${inline(description)}${example}`);
    }),
  )}`;
}

function capTable(): Html {
  return table(
    [{ title: 'Cap' }, { title: 'Windows' }],
    Object.entries(caps).map(([cap, { windows }]) => codeRow(`cap.${cap}`, cap, windows.join(', '))),
  );
}
