/* Search in a site that is opened from a disk.
 *
 * The theme searches in a worker, and browsers start no worker for an address that begins with
 * file:. Here such a worker is a hidden frame that runs the same script; messages go to and fro as
 * events. The theme asks whether `IFrameWorker` is there. Of its kind, this is the least that will
 * do: the script has to be ready for English alone, which needs no importScripts. */
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
