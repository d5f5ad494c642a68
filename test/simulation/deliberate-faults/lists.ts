/** Faults of lists that are read page by page. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of source files
import type { DeliberateFaults } from '../../support/simulation/deliberate-fault.ts';

export const faults: DeliberateFaults = {
  'the cursor of the log of webhooks counts the webhooks of a message': {
    theme: 'webhooks',
    promise: '12.3',
    changes: [
      {
        file: 'shared/webhook/log/find-deliveries.ts',
        replace: '  return [...found.values()];\n',
        by: `  return [...found.values()]
    .toSorted((one, other) => (one.position < other.position ? 1 : -1))
    .map((each, i) => ({
      ...each,
      position: positionOf(place, \`\${999 - i}Z\`, each.event, each.endpointId),
    }));\n`,
      },
    ],
  },
  'a page of messages ends at the time that a person edited': {
    theme: 'rows',
    editedTable: 'Messages',
    promise: '5.12',
    changes: [
      {
        file: 'shared/message/list-messages.ts',
        replace: 'return page(shown, shown.at(-1)?.position);',
        by: `const end = shown.at(-1)?.message;
    return page(shown, end && \`\${end.created_at}#\${end.message_id}\`);`,
      },
    ],
  },
  'only the 50 latest test events are listed': {
    theme: 'webhooks',
    promise: '12.3',
    changes: [
      {
        file: 'shared/webhook/log/find-deliveries.ts',
        replace: '    cursor: after && entriesFrom(after),\n',
        by: '    cursor: undefined && entriesFrom(String(after)),\n',
      },
      {
        file: 'shared/webhook/log/find-deliveries.ts',
        replace: 'return { located, end: nextCursor && `${placeOf(nextCursor)}~${noneLeft}` };',
        by: 'return { located, end: undefined && nextCursor };',
      },
    ],
  },
};
