/** The releases that the run deploys: what is checked out here, a next one, one that fails half-way, and the last one. */
import { type Checkout, checkout, checkoutOf } from './checkout.ts';
import type { Releases } from './ground.ts';

/** A queue that keeps its messages for a second, which SQS refuses, made after all the rest was changed. */
const brokenResource = `const broken = new CfnQueue(this, 'Broken', { messageRetentionPeriod: 1 });
    broken.node.addDependency(this.node.findChild('Messaging'), this.node.findChild('Api'));
    `;

export const nextRelease = 'next-release';

/** What platform teams have deployed, and upgrade from. */
export const lastRelease = {
  version: '0.1.0',
  commit: '4b64af3eb48707dde7b7022a459ceab6f7a25e7b',
  /** Settings of the run that came after it. */
  unknownSettings: ['alarms'],
};

/** Undefined where this is no clone with the history, such as an archive of the sources. */
export function checkoutOfLastRelease(): Promise<Checkout | undefined> {
  return checkoutOf(lastRelease.commit);
}

export async function makeReleases(): Promise<Releases> {
  const [first, next, broken] = await Promise.all([checkout(), checkout(), checkout()]);
  await next.release(nextRelease);
  await next.edit(
    'shared/contract/tables.ts',
    "'by-carrier-id': {",
    "'by-status': { partition: 'status', projection: 'keys' },\n      'by-carrier-id': {",
  );
  await broken.release('broken-release');
  const marker = 'this.publish(storage.names());';
  await broken.edit('lib/messaging-gateway.ts', marker, `${brokenResource}${marker}`);
  const firstImport = 'import { Construct }';
  const importQueue = "import { CfnQueue } from 'aws-cdk-lib/aws-sqs';";
  await broken.edit('lib/messaging-gateway.ts', firstImport, `${importQueue}\n${firstImport}`);
  // The rules would find such a queue before CloudFormation does.
  await broken.edit('bin/app.ts', 'applyTemplateRules(app);', '');
  return { first, next, broken };
}
