/* Search in a site that is opened from a disk.
 *
 * The theme searches in a worker, and browsers start no worker for an address that begins with
 * file:. Here the worker is a hidden frame that runs the same script, and messages are events. The
 * theme looks for the name `IFrameWorker`. There is no importScripts: English, the only language
 * of these pages, needs none. */
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inside = frame.contentWindow
      inside.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      const script = inside.document.createElement("script")
      script.src = new URL(address, location)
      this.ready = new Promise((resolve, reject) => {
        script.onload = resolve
        script.onerror = () => reject(new Error(`cannot load ${script.src}`))
      })
      this.inside = inside
      inside.document.body.append(script)
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new MessageEvent("message", { data })))
    }
  }
}
