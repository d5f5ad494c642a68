import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { clientMethods } from '../../../lib/build/clients/client-methods.ts';
import {
  generatedFiles,
  readmes,
  synchronousFiles,
  synchronousOpening,
  typesFiles,
  typesOpening,
  withMethodTable,
} from '../../../lib/build/clients/generated-files.ts';
import { openApiDocument } from '../../../lib/build/openapi/document.ts';
import { version } from '../../../shared/contract/routes.ts';
import { root } from '../../support/architecture/source-files.ts';

const fileText = (path: string): string => readFileSync(join(root, path), 'utf8');

describe('the generated part of the clients is current (else: npm run clients:generate)', () => {
  const { methods, resources, typesDocuments } = generatedFiles();

  it.each(Object.entries(resources))('%s', (path, text) => {
    expect(fileText(path)).toBe(text);
  });

  it.each(Object.entries(typesFiles))('the types for %s', (language, path) => {
    expect(fileText(path).split('\n')[0]).toContain(
      typesOpening(typesDocuments[language as keyof typeof typesDocuments]),
    );
  });

  it.each(Object.entries(synchronousFiles))('%s', (path, source) => {
    expect(fileText(path).split('\n')[0]).toBe(synchronousOpening(fileText(source)));
  });

  it.each(Object.entries(readmes))('the methods in the README for %s', (language, path) => {
    const readme = fileText(path);
    expect(readme).toBe(withMethodTable(readme, methods, language as keyof typeof readmes));
    expect(() => withMethodTable('# No table', methods, 'python')).toThrow('README');
  });

  it('a change of a field would be seen', () => {
    const { typescript } = typesDocuments;
    const changed = structuredClone(typescript) as { components: { schemas: Record<string, object> } };
    changed.components.schemas.Batch = {};
    expect(typesOpening(changed as typeof typescript)).not.toBe(typesOpening(typescript));
  });
});

describe('the methods of the clients', () => {
  const methods = clientMethods(openApiDocument());
  const names = methods.map(({ resource, name }) => `${resource.join('_')}.${name.join('_')}`);

  it('are all operations but the token request, under names that one would write', () => {
    const operations = Object.values(openApiDocument().paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(methods.map(({ operationId }) => operationId))).toEqual(
      new Set(operations.filter((operationId) => operationId !== 'issueToken')),
    );
    expect(names).toEqual(
      expect.arrayContaining([
        'sms.send',
        'sms.send_bulk',
        'otp.send',
        'otp.verify',
        'whatsapp.send',
        'messages.get',
        'batches.get',
        'messages.list',
        'messages.cancel',
        'account.get',
        'account.update',
        'account.get_usage',
        'account.rotate_webhook_secret',
      ]),
    );
  });

  it('ask for a dry run where the send has one: nothing is sent, so it may be repeated', () => {
    const dryRuns = methods.filter(({ isDryRun }) => isDryRun);
    expect(
      dryRuns.map(({ resource, name, response, repeat }) => [
        `${resource.join('_')}.${name.join('_')}`,
        response,
        repeat,
      ]),
    ).toEqual([
      ['sms.dry_run', 'DryRun', 'always'],
      ['sms.dry_run_bulk', 'DryRunBatch', 'always'],
      ['otp.dry_run', 'DryRun', 'always'],
      ['whatsapp.dry_run', 'DryRun', 'always'],
    ]);
  });

  it('say which requests may be repeated: a POST without idempotency key is not', () => {
    const repeated = methods.filter(
      ({ httpMethod, repeat, isDryRun }) => httpMethod === 'POST' && repeat !== 'if_refused' && !isDryRun,
    );
    expect(repeated.map(({ operationId, repeat }) => `${operationId} ${repeat}`).toSorted()).toEqual([
      'sendBulkSms with_key',
      'sendOtp with_key',
      'sendSms with_key',
      'sendWhatsapp with_key',
    ]);
  });

  it('of a new resource are named by its path and the operationId, and no two are the same', () => {
    const document = openApiDocument();
    const [operation] = Object.values(document.paths['/api/v1/account'] ?? {});
    if (operation === undefined) throw new Error('no operation');
    const at = (path: string, method: string, operationId: string) => ({
      [path]: { [method]: { ...operation, operationId, parameters: [] } },
    });
    const paths = {
      ...at('/api/v1/webhook-endpoints', 'post', 'createWebhookEndpoint'),
      ...at('/api/v1/webhook-endpoints/{id}/secret', 'post', 'rotateWebhookEndpointSecret'),
      ...at('/api/v1/webhook-deliveries', 'get', 'listWebhookDeliveries'),
      ...at('/api/v1/webhook-deliveries/resend', 'post', 'resendWebhookDeliveries'),
      ...at('/api/v1/webhook-deliveries/{id}/resend', 'post', 'resendWebhookDelivery'),
      ...at('/api/v1/webhook-deliveries/resend/{id}', 'get', 'getWebhookResend'),
    };
    const found = clientMethods({ ...document, paths } as typeof document);
    expect(found.map(({ resource, name }) => `${resource.join('_')}.${name.join('_')}`)).toEqual([
      'webhook_endpoints.create',
      'webhook_endpoints.rotate_secret',
      'webhook_deliveries.list',
      'webhook_deliveries.resend_many',
      'webhook_deliveries.resend',
      'webhook_deliveries.get_resend',
    ]);
    const twice = { ...paths, ...at('/api/v1/webhook-endpoints/x', 'post', 'createWebhookEndpoint') };
    expect(() => clientMethods({ ...document, paths: twice } as typeof document)).toThrow('name them');
  });
});

it('the clients have the version of the gateway, in their code and in their packages', () => {
  const python = fileText('clients/python/src/messaging_gateway/version.py');
  const typescript = fileText('clients/typescript/src/version.ts');
  expect(python).toContain(`VERSION = "${version}"`);
  expect(typescript).toContain(`version = '${version}'`);
  expect(fileText('clients/python/pyproject.toml')).toContain(`\nversion = "${version}"`);
  expect(JSON.parse(fileText('clients/typescript/package.json')).version).toBe(version);
});

it('the clients name the author and the address of the gateway’s package', () => {
  const { author, homepage } = JSON.parse(fileText('package.json'));
  expect(JSON.parse(fileText('clients/typescript/package.json'))).toMatchObject({
    author,
    homepage,
    repository: { type: 'git', url: `git+${homepage}.git`, directory: 'clients/typescript' },
    bugs: `${homepage}/issues`,
  });
  const python = fileText('clients/python/pyproject.toml');
  expect(python).toContain(`authors = [{ name = "${author}" }]`);
  expect(python).toContain(
    `[project.urls]\nHomepage = "${homepage}"\nRepository = "${homepage}.git"\nIssues = "${homepage}/issues"\n`,
  );
});

it('the version is that of package.json', () => {
  expect(version).toBe(JSON.parse(fileText('package.json')).version);
});
