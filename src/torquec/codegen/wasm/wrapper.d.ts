// @HEADING@

/** Numbers that a function takes: an array, or a typed array. */
export type Numbers = ArrayLike<number>;

/** A function of one state; its `batch` takes many states one after the other, if the module was made with batches. */
export type Callable<Inputs extends Numbers[], Result> = {
  (...inputs: Inputs): Result;
  batch?: (count: number, ...inputs: Inputs) => Result;
};

export interface Model {
@MEMBERS@
}

/** Instantiate the module: from its bytes, or from the file beside the wrapper. */
export function load(bytes?: BufferSource): Promise<Model>;

/** The same without a promise. */
export function loadSync(module: WebAssembly.Module | BufferSource): Model;
