/**
 * `node synthesize-deployments.ts FOLDER NAME…`: synthesizes these deployments, with the rules on, each into a folder of
 * its own in FOLDER, which appears when it is complete. A fault is written beside it, so that waiting tests see it.
 *
 * One process for all, outside Jest: the CDK is thousands of modules, which Jest would load again for each test file.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { App } from 'aws-cdk-lib';
import { applyTemplateRules, GatewayStack } from '../../../lib/gateway-stack.ts';
import { deployments, enterpriseDeployments } from './deployments.ts';
import { findingsIn, placeOf } from './stage-templates.ts';

const [folder = '', ...names] = process.argv.slice(2);
for (const name of names) {
  const place = placeOf(folder, name);
  try {
    synthesize(name, place.unfinished);
    renameSync(place.unfinished, place.complete);
  } catch (error) {
    writeFileSync(place.fault, inspect(error));
  }
}

function synthesize(name: string, outdir: string): void {
  const app = new App({ outdir });
  new GatewayStack(app, deployments[name] ?? enterpriseDeployments[name] ?? {});
  applyTemplateRules(app);
  try {
    app.synth();
  } catch (error) {
    // A test shows what the rules found.
    if (findingsIn(outdir).length === 0) throw error;
  }
}
