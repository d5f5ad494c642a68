/** Makes the releases that the run deploys: the code that is checked out here, a next one, and one that fails half-way. */
import { checkout } from './checkout.ts';
import type { Releases } from './ground.ts';

/** A queue that keeps its messages for a second, which SQS refuses, made after all the rest was changed. */
const brokenResource = `const broken = new CfnQueue(this, 'Broken', { messageRetentionPeriod: 1 });
    broken.node.addDependency(this.node.findChild('Messaging'), this.node.findChild('Api'));
    `;

export const nextRelease = 'next-release';

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
