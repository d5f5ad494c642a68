import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { type StageSettings, settingNames } from '../../../lib/stages/stage-settings.ts';
import { stages } from '../../../lib/stages/stages.ts';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';
import { page } from '../../support/docs/pages.ts';
import { constructProperties, propertySource } from '../../support/docs/property-table.ts';

const document = openApiDocument();

it('the API document lists every message error code, and allows new ones', () => {
  const { MessageFailure, WebhookEventData } = document.components.schemas;
  const open = { type: 'string', 'x-extensible-enum': Object.keys(messageErrorCodes) };
  expect(MessageFailure).toMatchObject({ properties: { code: open } });
  expect(WebhookEventData).toMatchObject({ properties: { error_code: open } });
});

describe('the properties of the construct', () => {
  const properties = constructProperties();

  it('are all read from the types, and each has a description and says when to change it', () => {
    const declared = propertySource().match(/^ {2}readonly \w+\?:/gm);
    expect(properties).toHaveLength(declared?.length ?? 0);
    for (const { description, change } of properties) {
      expect(description).toMatch(/\.$/);
      expect(change).toMatch(/\.$/);
    }
  });

  it('have the costs of the page about costs', () => {
    for (const [cost] of properties.flatMap(({ cost = '' }) => Array.from(cost.matchAll(/\d+\.\d+/g))))
      expect(page('docs/cost-and-scale.md')).toContain(` ${cost} `);
  });

  it('are with the settings of a stack 42 at most, and the page about the deploy has each', () => {
    const onAws = settingNames.filter((name) => !['local', 'emulator'].includes(name));
    expect(onAws.length).toBeLessThanOrEqual(42);
    for (const name of onAws) expect(page('docs/deploy.md')).toContain(`\n| \`${name}\` |`);
  });

  it.each(properties.filter(({ name }) => name !== 'stage'))(
    'have the default that they name: $name',
    (property) => {
      const name = property.name as keyof StageSettings;
      expect(settingNames).toContain(name);
      const [inDev, inProduction] = [stages.dev, stages.production].map((stage) =>
        JSON.stringify(stage[name]),
      );
      if (inDev === undefined) expect(property.byDefault).toMatch(/^none(,|$)/);
      else
        expect(property.byDefault).toBe(
          inDev === inProduction ? inDev : `${inDev}; in production ${inProduction}`,
        );
    },
  );
});
