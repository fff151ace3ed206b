// The compiled model: functions of the WebAssembly module on arrays of numbers.

import { bytesOf } from "./bytes";
import type { ModuleData } from "./document";

type Kernel = (...addresses: number[]) => void;

interface Entry {
  kernel: Kernel;
  addresses: number[];
  sizes: number[];
  inputs: number;
}

export class CompiledModel {
  private readonly entries = new Map<string, Entry>();
  private readonly memory: WebAssembly.Memory;

  private constructor(instance: WebAssembly.Instance, data: ModuleData) {
    const { memory, __free: free } = instance.exports;
    this.memory = memory as WebAssembly.Memory;
    let end = (free as WebAssembly.Global).value as number;
    for (const [name, { symbol, inputs, outputs }] of Object.entries(data.functions)) {
      const sizes = [...inputs, ...outputs].map((port) => port.shape.reduce((product, n) => product * n, 1));
      const addresses = sizes.map((size) => {
        end += 8 * size;
        return end - 8 * size;
      });
      this.entries.set(name, { kernel: instance.exports[symbol] as Kernel, addresses, sizes, inputs: inputs.length });
    }
    const missing = end - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / 65536));
  }

  static async load(data: ModuleData): Promise<CompiledModel> {
    const { instance } = await WebAssembly.instantiate(bytesOf(data.code), {});
    return new CompiledModel(instance, data);
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  /** The outputs of a function, each a new array, row by row. */
  call(name: string, ...given: ArrayLike<number>[]): Float64Array[] {
    const entry = this.entries.get(name);
    if (!entry) throw new Error(`the module has no function ${name}`);
    given.forEach((values, k) => {
      if (values.length !== entry.sizes[k]) throw new Error(`${name}: ${values.length} numbers, not ${entry.sizes[k]}`);
      new Float64Array(this.memory.buffer, entry.addresses[k], entry.sizes[k]).set(values);
    });
    entry.kernel(...entry.addresses);
    return entry.addresses
      .slice(entry.inputs)
      .map((address, k) => new Float64Array(this.memory.buffer, address, entry.sizes[entry.inputs + k]).slice());
  }

  /** The only output of a function. */
  value(name: string, ...given: ArrayLike<number>[]): Float64Array {
    return this.call(name, ...given)[0] as Float64Array;
  }
}
