// The haptic loop beside the page: a thread of its own keeps time while pictures are drawn.

import { CompiledModel } from "./compiled_model";
import type { HapticData } from "./document";
import { HapticClock, type HapticOrders, type HapticReport } from "./haptic_clock";
import { HapticLoop } from "./haptic_loop";

/** First the loop's data, then orders. */
export type ToWorker = { data: HapticData } | { orders: HapticOrders };

/** First that it is there, then reports. */
export type FromWorker = "ready" | HapticReport;

const page = self as unknown as { postMessage(message: FromWorker): void; onmessage: (event: MessageEvent<ToWorker>) => void };
let clock: HapticClock | null = null;

page.onmessage = async ({ data: message }): Promise<void> => {
  if ("orders" in message) clock!.order(message.orders);
  else {
    const module = await CompiledModel.load(message.data.module);
    const loop = new HapticLoop(message.data, module);
    loop.warmUp();
    clock = new HapticClock(loop, (report) => page.postMessage(report));
    page.postMessage("ready");
  }
};
