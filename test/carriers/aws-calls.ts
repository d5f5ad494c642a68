/** Judges the calls to the double of AWS by the services' own models, which botocore has, as `test/aws-inputs` does. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pythonWithPackages } from '../../lib/local/python.ts';
import { recordAwsCall } from '../support/carrier/carrier-server.ts';
import type { VendorDescription } from '../support/carrier/vendor-description.ts';
import type { Check } from './judge.ts';

const models = join(import.meta.dirname, '..', 'aws-inputs');
const cacheFolder = join(import.meta.dirname, '..', '..', '.local');

interface AwsCalls {
  /** Takes each request, and notes it. */
  readonly description: VendorDescription;
  /** None where there were no calls. */
  check(): Promise<readonly Check[]>;
}

export function recordAwsCalls(): AwsCalls {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-gateway-aws-calls-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'calls.jsonl');
  let calls = 0;
  return {
    description: {
      judge(request) {
        recordAwsCall(file, request);
        calls += 1;
        return { template: request.headers['x-amz-target'] ?? request.path, faults: [] };
      },
      responseFaults: () => [],
      callbackFaults: () => [],
    },
    async check() {
      if (calls === 0) return [];
      const python = await pythonWithPackages(
        cacheFolder,
        console.log,
        new AbortController().signal,
        join(models, 'requirements.txt'),
      );
      const judged = await promisify(execFile)(python, ['-B', join(models, 'validate.py'), file]).then(
        () => [],
        ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) =>
          `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== ''),
      );
      return [{ name: `the service models of AWS refuse none of ${calls} calls`, faults: judged }];
    },
  };
}
