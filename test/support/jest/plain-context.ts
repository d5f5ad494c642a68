/**
 * Jest's Node environment, with an ordinary context for each test file. Jest's own context asks a proxy, in JavaScript,
 * for every global variable that the code names (`Math`, `JSON`, `Date`), which takes much of the time of tests that
 * compute. As before, each file has its own globals and its own instance of every module; but what a worker has compiled
 * for one file, it does not compile again for the next.
 */
import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

// A worker that has run many files takes up to a second to free its memory, and Jest says of one that has not ended after
// half a second that its tests leak. Here nothing is left to do; a worker with something open does not come here.
if (process.send !== undefined) process.once('beforeExit', () => process.exit());

const { compileFunction, Script, SourceTextModule } = vm;

/** As a script: V8 keeps what it has compiled of a script, with its functions, and of a function keeps nothing. */
vm.compileFunction = (source, params = [], options = {}) => {
  // Each script with an `import()` of its own would be compiled anew.
  if (source.includes('import(')) return compileFunction(source, params, options);
  const head = `(function (${params.join(', ')}) {`;
  const script = new Script(`${head}${source}\n})`, {
    filename: options.filename ?? '',
    columnOffset: -head.length,
  });
  return script.runInContext(options.parsingContext as vm.Context);
};

const parsedModules = new Map<string, Buffer>();

vm.SourceTextModule = class extends SourceTextModule {
  /** Missing from `@types/node`. */
  declare createCachedData: () => Buffer;

  constructor(source: string, options?: vm.SourceTextModuleOptions) {
    const cachedData = parsedModules.get(source);
    super(source, { ...options, cachedData });
    if (cachedData === undefined) parsedModules.set(source, this.createCachedData());
  }
};

export default class PlainContext extends TestEnvironment {
  constructor(...options: ConstructorParameters<typeof TestEnvironment>) {
    const { createContext } = vm;
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(...options);
    } finally {
      vm.createContext = createContext;
    }
    if (this.context !== this.global) throw new Error('Jest made this context in another way');
  }
}
