/** What the properties of the construct say about themselves is what the settings are. */
import { describe, expect, it } from '@jest/globals';
import { type StageSettings, stageSettings } from '../../../lib/stages/stage-settings.ts';
import { stages } from '../../../lib/stages/stages.ts';
import { constructProperties, propertySource } from '../../support/docs/property-table.ts';

describe('the properties of the construct', () => {
  const properties = constructProperties();

  it('are all read from the types, and each has a description', () => {
    const declared = propertySource().match(/^ {2}readonly \w+\?:/gm);
    expect(properties).toHaveLength(declared?.length ?? 0);
    expect(properties.length).toBeGreaterThan(50);
    for (const { description } of properties) expect(description).toMatch(/\.$/);
  });

  it.each(properties.filter(({ name }) => name !== 'stage'))(
    'have the default that they name: $name',
    (property) => {
      const name = property.name as keyof StageSettings;
      expect(Object.keys(stageSettings.shape)).toContain(name);
      const [inDev, inProduction] = [stages.dev, stages.production].map((stage) => shown(stage[name]));
      if (inDev === undefined) expect(property.byDefault).toMatch(/^none(,|$)/);
      else
        expect(property.byDefault).toBe(
          inDev === inProduction ? inDev : `${inDev}; in production ${inProduction}`,
        );
    },
  );
});

const shown = (value: unknown): string | undefined => JSON.stringify(value);
