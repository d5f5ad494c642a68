import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { buildSync } from 'esbuild';
import { bundleSettings } from '../../lib/bundle.ts';

const { metafile } = buildSync({
  ...bundleSettings,
  entryPoints: readdirSync(join(import.meta.dirname, '../../functions'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `functions/${file}`),
  outdir: 'never-written',
  write: false,
  metafile: true,
});

describe('a function’s bundle', () => {
  it.each(Object.keys(metafile.outputs))(
    '%s carries nothing that was left out for its start’s sake',
    (file) => {
      const carried = Object.entries(metafile.outputs[file]?.inputs ?? {})
        .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
        .map(([input]) => input);
      // Chained zod and its languages; credentials that Lambda has not; what only event streams need.
      const leftOut =
        /zod\/v4\/(classic|locales\/(?!(?:en|index)\.js))|nested-clients|credential-provider-(?!env)|submodules\/event-streams/;
      expect(carried.filter((input) => leftOut.test(input))).toEqual([]);
    },
  );
});
