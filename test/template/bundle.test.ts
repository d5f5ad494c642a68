import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import { buildSync } from 'esbuild';
import { getCountries, getCountryCallingCode, getExampleNumber } from 'libphonenumber-js/min';
import examples from 'libphonenumber-js/mobile/examples';
import { bundleFunctions, bundleSettings } from '../../lib/build/bundle.ts';
import { bundleDashboard } from '../../lib/build/bundle-dashboard.ts';
import { bundleDocs } from '../../lib/build/bundle-docs.ts';
import { functionsWithCarriers } from '../../lib/build/stage-carriers.ts';
import { carrierDescriptors } from '../../shared/carrier/carrier-descriptors.ts';
import * as phoneNumber from '../../shared/contract/phone-number.ts';

const { metafile } = buildSync({
  ...bundleSettings,
  entryPoints: readdirSync(join(import.meta.dirname, '../../functions'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `functions/${file}`),
  outdir: 'never-written',
  write: false,
  metafile: true,
});

/** The sources in each bundle. */
const sourcesOf = new Map(
  Object.entries(metafile.outputs).map(([file, { inputs }]) => [
    file,
    Object.keys(inputs).filter((input) => (inputs[input]?.bytesInOutput ?? 0) > 0),
  ]),
);

describe('a function’s bundle', () => {
  it.each(Object.keys(metafile.outputs))(
    '%s has none of the code that was left out for a faster start',
    (file) => {
      // Classic zod and its translations; credential sources that Lambda does not have; event streams; endpoint discovery; checksums
      // in JavaScript.
      const leftOut =
        /zod\/v4\/(classic|locales\/(?!(?:en|index)\.js))|nested-clients|credential-provider-(?!env)|submodules\/(event-streams|checksum)|endpoint-discovery\/|mnemonist/;
      expect(sourcesOf.get(file)?.filter((input) => leftOut.test(input))).toEqual([]);
    },
  );

  it.each(Object.keys(metafile.outputs))('%s has no complete service client', (file) => {
    // The client class that has every operation as a method.
    const whole = /@aws-sdk\/client-[^/]+\/dist-es\/(?!\w+Client\.js)[A-Z]\w+\.js$/;
    expect(sourcesOf.get(file)?.filter((input) => whole.test(input))).toEqual([]);
  });

  // `record-receipt` has them for the numbers of people: a carrier may write one with digits that the canonical form does not have.
  // `dispatch-message` has them for the rows of senders, whose numbers people write in any spelling.
  it('has the numbering plans only where a request, a row or a message from a person contains a number or a country', () => {
    const carriers = [...sourcesOf.keys()].filter((file) =>
      sourcesOf.get(file)?.some((input) => input.includes('libphonenumber-js/')),
    );
    expect(carriers.map((file) => parse(file).name)).toEqual([
      'admin-api',
      'carrier-callback',
      'dispatch-message',
      'list-messages',
      'record-receipt',
      'review-edited-rows',
      'send-bulk-sms',
      'send-otp',
      'send-sms',
      'send-whatsapp',
      'suppressions',
      'verify-otp',
    ]);
  });
});

it('a number means the same by the numbering plans of a bundle, and by those of the library', () => {
  const folder = mkdtempSync(join(tmpdir(), 'phone-number-'));
  const outfile = join(folder, 'index.cjs');
  buildSync({ ...bundleSettings, entryPoints: ['shared/contract/phone-number.ts'], outfile });
  const bundled = createRequire(import.meta.url)(outfile) as typeof phoneNumber;
  rmSync(folder, { recursive: true });
  const meaning = ({ canonicalRecipient, countryOf, recipientsAsWritten }: typeof phoneNumber) =>
    getCountries().map((country) => {
      const { number = '', nationalNumber = '' } = getExampleNumber(country, examples) ?? {};
      const code = getCountryCallingCode(country);
      const spellings = [
        number,
        `+${code}0${nationalNumber}`,
        `+${code}1${nationalNumber}`,
        number.slice(0, -1),
      ];
      return [
        ...spellings.map((text) => [text, canonicalRecipient(text), countryOf(text)]),
        recipientsAsWritten(`0${nationalNumber}`, country),
      ];
    });
  expect(meaning(bundled)).toEqual(meaning(phoneNumber));
});

describe('the generated responses of describe-api', () => {
  const made = mkdtempSync(join(tmpdir(), 'responses-'));
  afterAll(() => rmSync(made, { recursive: true }));

  function make(folder: string): ReadonlyMap<string, string> {
    bundleDocs(join(import.meta.dirname, '../..'), join(made, folder));
    const responses = join(made, folder, 'responses');
    return new Map(
      readdirSync(responses).map((name) => [name, readFileSync(join(responses, name), 'base64')]),
    );
  }

  it('are one for each page and file, with the same bytes each time', () => {
    const first = make('first');
    expect([...first.keys()].toSorted()).toEqual([
      'docs.errors.json',
      'docs.limits.json',
      'docs.quick-start.json',
      'docs.reference.json',
      expect.stringMatching(/^docs\.scalar\.\w+\.js\.br$/),
      expect.stringMatching(/^docs\.scalar\.\w+\.js\.json$/),
      'docs.testing.json',
      'docs.verify.go.json',
      'docs.verify.mjs.json',
      'docs.verify.py.json',
      'docs.webhooks.json',
      'openapi.json.json',
    ]);
    expect(make('second')).toEqual(first);
  });
});

it('the sign-in page of the dashboard is small, and its page is not empty before the script runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-gateway-dashboard-'));
  const { firstViewBytes, wholeBytes } = bundleDashboard(join(import.meta.dirname, '../..'), folder);
  const page = gunzipSync(readFileSync(join(folder, 'files', 'index.html.gzip'))).toString();
  rmSync(folder, { recursive: true });
  expect(firstViewBytes).toBeLessThan(150_000);
  expect(wholeBytes).toBeGreaterThan(firstViewBytes);
  expect(page).toContain('<div id="root"><div class="skeleton">');
});

describe.each(functionsWithCarriers)('the bundle of %s', (name) => {
  const codeFor = (carriers: readonly string[]) =>
    readFileSync(join(bundleFunctions().folder(name, {}, carriers), 'index.js'), 'utf8');
  const ownCarriers = ['aws', 'simulator'];
  const optional = carrierDescriptors.filter((carrier) => !ownCarriers.includes(carrier.name));
  /** The carriers whose descriptor is in the code. */
  const carriersIn = (code: string) =>
    optional.filter(({ sandbox }) => code.includes(sandbox)).map((carrier) => carrier.name);

  it.each(optional.map((carrier) => carrier.name))(
    'has %s where the stage has it, and no others',
    (added) => {
      expect(carriersIn(codeFor([...ownCarriers, added]))).toEqual([added]);
    },
  );

  it('has none that the stage does not use', () => {
    expect(carriersIn(codeFor(ownCarriers))).toEqual([]);
  });
});
