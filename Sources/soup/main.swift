import ArgumentParser
print("soup")
