import { describe, expect, it } from '@jest/globals';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { type StageSettings, stageSettings } from '../../../lib/stages/stage-settings.ts';
import { stages } from '../../../lib/stages/stages.ts';
import { messageErrorCodes } from '../../../shared/contract/message-error-codes.ts';
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

  it('are all read from the types, and each has a description', () => {
    const declared = propertySource().match(/^ {2}readonly \w+\?:/gm);
    expect(properties).toHaveLength(declared?.length ?? 0);
    expect(properties.length).toBeGreaterThan(30);
    for (const { description } of properties) expect(description).toMatch(/\.$/);
  });

  it.each(properties.filter(({ name }) => name !== 'stage'))(
    'have the default that they name: $name',
    (property) => {
      const name = property.name as keyof StageSettings;
      expect(Object.keys(stageSettings.shape)).toContain(name);
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
