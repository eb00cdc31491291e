"""What Jupyter starts as the student's kernel where that is forked: asks for it, and stands for it.

Run by its path, with the socket of `warm_parent`, the sandbox's configuration and Jupyter's connection
file. Passes interrupts on, and ends when the kernel does. Standard library alone, as little as it can be.
"""

import signal
import socket
import sys


def main() -> None:
    place, config, connection = sys.argv[1:]
    line = socket.socket(socket.AF_UNIX)
    line.connect(place)
    signal.signal(signal.SIGINT, lambda *_: line.send(b"i"))
    line.sendall(f"{config}\0{connection}\n".encode())
    line.recv(1)


if __name__ == "__main__":
    main()
